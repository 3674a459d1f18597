//! The key `mcp`: which tools of which servers may be used.

use crate::grammar;
use crate::name::NamePattern;

use super::defaults::DECISIONS;
use super::document::{Lists, Mcp, Server};
use super::names::escaped;
use super::{Parser, Value, quoted};

impl Parser<'_> {
    pub(super) fn mcp(&mut self, value: &Value, pointer: &str) -> Option<Mcp> {
        let members = self.members(value, pointer, &grammar::MCP)?;
        let mut mcp = Mcp { default: None, servers: Vec::new() };
        for (key, value) in members {
            let below = format!("{pointer}/{}", key.name);
            match key.name.as_str() {
                "default" => {
                    let location = self.locator.location(value.span.start, &below);
                    mcp.default = self.one_of(value, &below, DECISIONS).map(|decision| (decision, location));
                }
                "servers" => {
                    for (key, value) in self.object(value, &below, &[]).unwrap_or_default() {
                        let below = format!("{below}/{}", escaped(&key.name));
                        if key.name.trim().is_empty() {
                            let message = "a server needs a name".to_owned();
                            self.faults.push(key.span.clone(), &below, message, None);
                        }
                        if let Some(server) = key.name.trim().strip_prefix("mcp__") {
                            let message = format!("{} can never match: that is how tools begin", quoted(&key.name));
                            let server = server.split("__").next().unwrap_or(server);
                            let help = (!server.is_empty()).then(|| format!("write {}", quoted(server)));
                            self.faults.push(key.span.clone(), &below, message, help);
                        }
                        let lists = self.server(value, &below);
                        mcp.servers.push(Server { title: key.name.clone(), name: NamePattern::new(&key.name), lists });
                    }
                }
                _ => {}
            }
        }
        Some(mcp)
    }

    fn server(&mut self, value: &Value, pointer: &str) -> Lists<NamePattern> {
        let mut lists = Lists::default();
        let Some(members) = self.object(value, pointer, &grammar::SERVER.keys(self.version)) else { return lists };
        if let Some((key, _)) = members.iter().find(|(key, _)| key.name == "description_sha256") {
            let message = "`description_sha256` can't be demanded: logs do not record what a server says of its tools";
            let help = "name the tools in `allow`".to_owned();
            self.faults.push(key.span.clone(), &format!("{pointer}/{}", key.name), message.to_owned(), Some(help));
        }
        let others: Vec<_> = members.into_iter().filter(|(key, _)| key.name != "description_sha256").collect();
        self.unknown_keys(&others, pointer, &grammar::SERVER);
        for (key, value) in others {
            self.one_of_lists(&key.name, value, pointer, &mut lists);
        }
        for (list, name) in [(&lists.allow, "allow"), (&lists.deny, "deny"), (&lists.ask, "ask")] {
            for entry in list.iter().flat_map(|list| &list.entries).filter(|entry| entry.text.starts_with("mcp__")) {
                let message =
                    format!("{} can never match: tools go by their name without the server", quoted(&entry.text));
                let help = entry.text.rsplit("__").next().map(|tool| format!("write {}", quoted(tool)));
                self.faults.push(value.span.clone(), &format!("{pointer}/{name}"), message, help);
            }
        }
        lists
    }
}
