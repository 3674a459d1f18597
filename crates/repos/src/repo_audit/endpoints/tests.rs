use super::*;

fn found(kind: Kind, text: &str) -> Vec<String> {
    let shown = |endpoint: &Endpoint| {
        let what = endpoint.host.clone().or(endpoint.variable.clone()).unwrap();
        format!("{} {what} {}", endpoint.provider.unwrap_or("?"), endpoint.line)
    };
    endpoints(kind, text).unwrap().iter().map(shown).collect()
}

#[test]
fn every_endpoint_of_a_file_is_judged_for_itself() {
    let text = "A=https://api.anthropic.com/v1\nB=https://openrouter.ai/api/v1\nC=\"https://api.groq.com/openai/v1\"\nD=https://api.deepseek.com\nE=https://api.x.ai/v1\n";
    assert_eq!(
        found(Kind::Env, text),
        [
            "anthropic api.anthropic.com 1",
            "openrouter openrouter.ai 2",
            "groq api.groq.com 3",
            "deepseek api.deepseek.com 4",
            "xai api.x.ai 5",
        ]
    );
}

#[test]
fn keys_are_told_by_the_names_of_their_variables() {
    assert_eq!(found(Kind::Ci, "env:\n  OPENAI_API_KEY: ${{ secrets.X }}\n"), ["openai OPENAI_API_KEY 2"]);
    assert!(found(Kind::Source, "MY_OPENAI_API_KEY_2 = 1").is_empty());
}

#[test]
fn endpoints_of_nobody_are_told_by_their_shape() {
    for (kind, text, host) in [
        (Kind::Source, "post('https://models.corp.io/v1/chat/completions')", "models.corp.io"),
        (Kind::Source, "url = \"https://gw.corp.io/x/models/m:generateContent?key=1\"", "gw.corp.io"),
        (Kind::Env, "OPENAI_BASE_URL=https://relay.corp.io/v1", "relay.corp.io"),
        (Kind::Env, "ANTHROPIC_BASE_URL: 'http://203.0.113.9:8080'", "203.0.113.9"),
        (Kind::Ci, "run: curl https://litellm.corp.io/health", "litellm.corp.io"),
    ] {
        assert_eq!(
            found(kind, text).iter().filter(|row| row.starts_with("? ")).collect::<Vec<_>>(),
            [&format!("? {host} 1")],
            "{text}"
        );
    }
}

#[test]
fn what_only_looks_like_an_endpoint_is_none() {
    for (kind, text) in [
        (Kind::Source, "http://localhost:11434/api/generate"),
        (Kind::Source, "http://127.0.0.1/v1/chat/completions and http://[::1]/v1/messages"),
        (Kind::Source, "https://llm.example.com/v1/chat/completions"),
        (Kind::Source, "https://docs.corp.io/reference/v1/chat/completions"),
        (Kind::Source, "https://chat.corp.io/api/rooms"),
        (Kind::Source, "see https://litellm.corp.io/"),
        (Kind::Source, "mail security@openrouter.ai"),
        (Kind::Env, "DATABASE_URL=https://db.corp.io"),
        (Kind::Source, "https://notapi.anthropic.com.evil.io/"),
    ] {
        assert_eq!(found(kind, text), Vec::<String>::new(), "{text}");
    }
    assert_eq!(Kind::of("README.md"), None);
    assert_eq!(Kind::of("svc/.env.production"), Some(Kind::Env));
    assert_eq!(Kind::of(".github/workflows/a.yml"), Some(Kind::Ci));
    assert_eq!(Kind::of("src/main.py"), Some(Kind::Source));
}
