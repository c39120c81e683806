/** Files that hold secrets of the person or of the program that the model runs in. */
const SECRET_PLACE =
  /(?:^|[/\\~.])ssh(?:[/\\]|$)|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|(?:^|[/\\])\.env(?:$|[/\\]|\.(?:local|production|prod)$)|(?:^|[/\\])etc[/\\](?:passwd|shadow|sudoers)|\.aws\b|\.netrc\b|\.git-credentials|\.npmrc|\.pypirc|\.pgpass|\.kube[/\\]|\.docker[/\\]config|\.gnupg|\.bash_history|\.zsh_history|\.config[/\\](?:gcloud|gh|hub|op|rclone|doctl|stripe)\b|credentials(?:\.json|\.ya?ml|\.db)?$|(?:^|[/\\.])mcp\.json|claude_desktop_config|\.cursor[/\\]|\.claude[/\\]|wallet\.dat|cookies\.sqlite|Login Data|secrets?\.(?:json|ya?ml|toml|env)$|keychain|\.(?:kdbx|p12|pfx)$|(?:private|server|client)[_-]?key\.pem|service[_-]account[\w-]*\.json|proc[/\\]self[/\\]environ|terraform\.tfstate|\.vault-token/i;

export function isSecretPlace(word: string): boolean {
  return SECRET_PLACE.test(word);
}
