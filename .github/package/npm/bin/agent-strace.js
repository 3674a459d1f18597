#!/usr/bin/env node
// Runs the program out of the package for this platform, which was installed beside this one. Its streams are those of
// this process, and so is its end: the exit code, or the signal. What can't be run is never a pass.
"use strict";

const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");
const path = require("node:path");
const { name, optionalDependencies } = require("../package.json");

const COULD_NOT_JUDGE = 2;

function refuse(what, remedy) {
    process.stderr.write(`error: ${what}\n  hint: ${remedy}\n`);
    process.exit(COULD_NOT_JUDGE);
}

function program() {
    const platform = `${process.platform}-${process.arch}`;
    const wanted = `${name}-${platform}`;
    const known = Object.keys(optionalDependencies).map((other) => other.slice(name.length + 1));
    if (!known.includes(platform)) {
        refuse(`there is no build for ${platform}`, `there are ${known.join(", ")}; elsewhere build it with cargo`);
    }
    let folder;
    try {
        folder = path.dirname(require.resolve(`${wanted}/package.json`));
    } catch {
        refuse(`the package ${wanted} is not installed`, "install without `--omit=optional` and `--no-optional`");
    }
    const file = path.join(folder, "bin", process.platform === "win32" ? "agent-strace.exe" : "agent-strace");
    if (!existsSync(file)) {
        refuse(`the package ${wanted} does not hold the program`, "install it anew");
    }
    return file;
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit", windowsHide: true });

// Whoever stops this process means the program: it is told, and this one ends when the program has.
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
const pass = (signal) => child.kill(signal);
for (const signal of signals) {
    process.on(signal, pass);
}

child.on("error", (error) => refuse(`can't run the program: ${error.message}`, "install the package anew"));
child.on("exit", (code, signal) => {
    if (signal !== null) {
        for (const each of signals) {
            process.removeListener(each, pass);
        }
        process.kill(process.pid, signal);
        return;
    }
    process.exit(code ?? COULD_NOT_JUDGE);
});
