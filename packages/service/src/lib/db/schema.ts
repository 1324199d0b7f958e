/** The migrations, oldest first. Times are milliseconds since 1970, lists are JSON, booleans are 1 and 0. */
export const migrations = [
  `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE users (
  id TEXT PRIMARY KEY, username TEXT NOT NULL UNIQUE COLLATE NOCASE, display_name TEXT, bio TEXT NOT NULL DEFAULT '',
  avatar_url TEXT, banner_url TEXT, created_at INTEGER NOT NULL, bot INTEGER NOT NULL DEFAULT 0, staff INTEGER NOT NULL DEFAULT 0,
  tier TEXT NOT NULL DEFAULT 'free', accepts_dms INTEGER NOT NULL DEFAULT 1, banned INTEGER NOT NULL DEFAULT 0);
CREATE TABLE sessions (token_hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE);
CREATE TABLE bots (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE, owner_id TEXT NOT NULL REFERENCES users (id),
  public INTEGER NOT NULL DEFAULT 0, token_hash TEXT NOT NULL UNIQUE, commands TEXT NOT NULL DEFAULT '[]',
  webhook_url TEXT, webhook_secret TEXT, review_state TEXT NOT NULL DEFAULT 'private', review_reason TEXT);
CREATE TABLE servers (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, owner_id TEXT NOT NULL REFERENCES users (id), icon_url TEXT,
  created_at INTEGER NOT NULL, flags TEXT NOT NULL DEFAULT '{}');
CREATE TABLE roles (
  id TEXT PRIMARY KEY, server_id TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE, name TEXT NOT NULL, color TEXT,
  position INTEGER NOT NULL, permissions TEXT NOT NULL DEFAULT '[]');
CREATE INDEX roles_of_server ON roles (server_id);
CREATE TABLE members (
  server_id TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  nickname TEXT, joined_at INTEGER NOT NULL, timeout_until INTEGER, PRIMARY KEY (server_id, user_id)) WITHOUT ROWID;
CREATE INDEX servers_of_member ON members (user_id);
CREATE TABLE member_roles (
  server_id TEXT NOT NULL, user_id TEXT NOT NULL, role_id TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  PRIMARY KEY (server_id, user_id, role_id),
  FOREIGN KEY (server_id, user_id) REFERENCES members (server_id, user_id) ON DELETE CASCADE) WITHOUT ROWID;
CREATE TABLE bans (
  server_id TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  reason TEXT, created_at INTEGER NOT NULL, PRIMARY KEY (server_id, user_id)) WITHOUT ROWID;
CREATE TABLE categories (
  id TEXT PRIMARY KEY, server_id TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE, name TEXT NOT NULL, position INTEGER NOT NULL);
CREATE TABLE channels (
  id TEXT PRIMARY KEY, server_id TEXT REFERENCES servers (id) ON DELETE CASCADE, type TEXT NOT NULL, name TEXT,
  category_id TEXT REFERENCES categories (id) ON DELETE SET NULL, position INTEGER NOT NULL DEFAULT 0,
  private INTEGER NOT NULL DEFAULT 0, read_only INTEGER NOT NULL DEFAULT 0, slowmode INTEGER NOT NULL DEFAULT 0, dm_key TEXT UNIQUE);
CREATE INDEX channels_of_server ON channels (server_id);
CREATE TABLE channel_roles (
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE, role_id TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  may TEXT NOT NULL, PRIMARY KEY (channel_id, role_id, may)) WITHOUT ROWID;
CREATE TABLE channel_users (
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (channel_id, user_id)) WITHOUT ROWID;
CREATE INDEX channels_of_user ON channel_users (user_id);
CREATE TABLE messages (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  author_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, content TEXT NOT NULL, attachment TEXT, reply_to_id TEXT,
  embeds TEXT NOT NULL, components TEXT NOT NULL, pinned INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, edited_at INTEGER,
  posted_at INTEGER NOT NULL);
CREATE INDEX messages_of_channel ON messages (channel_id, created_at);
CREATE INDEX messages_of_author ON messages (channel_id, author_id, created_at);
CREATE TABLE reactions (
  message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE, emoji TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, seq INTEGER PRIMARY KEY, UNIQUE (message_id, emoji, user_id));
CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT, bot_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, type TEXT NOT NULL,
  data TEXT NOT NULL, created_at INTEGER NOT NULL);
CREATE INDEX events_of_bot ON events (bot_id, id);
CREATE INDEX events_by_age ON events (created_at);
-- Ids start above 1 (decisions row 35): a last of 0 would mean "from now on".
INSERT INTO sqlite_sequence (name, seq) VALUES ('events', 1);
CREATE TABLE interactions (
  id TEXT PRIMARY KEY, token_hash TEXT NOT NULL, bot_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, custom_id TEXT NOT NULL, message_id TEXT NOT NULL,
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE, server_id TEXT, created_at INTEGER NOT NULL);
CREATE TABLE answers (
  seq INTEGER PRIMARY KEY, interaction_id TEXT NOT NULL REFERENCES interactions (id) ON DELETE CASCADE, type TEXT NOT NULL,
  message_id TEXT, ephemeral TEXT, created_at INTEGER NOT NULL);
CREATE INDEX answers_of_interaction ON answers (interaction_id);
CREATE TABLE violations (user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, created_at INTEGER NOT NULL);
CREATE TABLE voice (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE) WITHOUT ROWID;
`,
  `
CREATE TABLE submissions (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, bot_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  description TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'submitted', reason TEXT, created_at INTEGER NOT NULL, decided_at INTEGER);
CREATE INDEX submissions_of_bot ON submissions (bot_id);
CREATE TABLE reports (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, message_id TEXT NOT NULL, channel_id TEXT NOT NULL,
  author_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, content TEXT NOT NULL,
  reporter_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, reason TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'open',
  created_at INTEGER NOT NULL, decided_at INTEGER, UNIQUE (message_id, reporter_id));
CREATE INDEX violations_of_user ON violations (user_id, created_at);
`,
  `
CREATE TABLE channel_webhooks (
  id TEXT PRIMARY KEY, channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  creator_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, name TEXT NOT NULL, avatar_url TEXT,
  token_hash TEXT NOT NULL, created_at INTEGER NOT NULL);
CREATE INDEX webhooks_of_channel ON channel_webhooks (channel_id);
-- Posts of a channel webhook have an author per name and picture; messages stay when the webhook is deleted.
ALTER TABLE users ADD COLUMN webhook_id TEXT;
CREATE INDEX authors_of_webhook ON users (webhook_id, display_name, avatar_url) WHERE webhook_id IS NOT NULL;
-- The pings of a channel webhook's message; null for messages of members, whose user mentions all ping.
ALTER TABLE messages ADD COLUMN pings TEXT;
`,
  `
-- A picture is deleted with the profile or message that it belongs to.
CREATE TABLE uploads (
  id TEXT PRIMARY KEY, type TEXT NOT NULL, bytes BLOB NOT NULL, place TEXT NOT NULL, created_at INTEGER NOT NULL,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE, message_id TEXT REFERENCES messages (id) ON DELETE CASCADE);
CREATE INDEX uploads_of_user ON uploads (user_id, place);
CREATE INDEX uploads_of_message ON uploads (message_id);
`,
  `
-- For the counts at each sign-in.
CREATE INDEX people ON users (created_at) WHERE bot = 0;
CREATE INDEX sessions_of_user ON sessions (user_id);
CREATE INDEX servers_of_owner ON servers (owner_id);
`,
  `
-- No statement reads a whole table that grows: plans.test.ts.
CREATE INDEX members_of_role ON member_roles (role_id, user_id);
CREATE INDEX channels_of_role ON channel_roles (role_id);
CREATE INDEX bots_of_owner ON bots (owner_id);
CREATE INDEX people_in_voice ON voice (channel_id);
CREATE INDEX categories_of_server ON categories (server_id);
CREATE INDEX channels_of_category ON channels (category_id);
CREATE INDEX interactions_by_age ON interactions (created_at);
CREATE INDEX interactions_of_bot ON interactions (bot_id, created_at);
CREATE INDEX interactions_of_user ON interactions (user_id);
CREATE INDEX interactions_of_channel ON interactions (channel_id);
CREATE INDEX bans_of_user ON bans (user_id);
CREATE INDEX webhooks_of_creator ON channel_webhooks (creator_id);
CREATE INDEX reports_of_author ON reports (author_id);
CREATE INDEX reports_of_reporter ON reports (reporter_id);
`,
  `
-- An event is stored once. Each bot that receives it has an own id for it, and the fields that differ for this bot. An event's id is
-- the last of these ids.
ALTER TABLE events RENAME TO old_events;
CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL, data TEXT NOT NULL, created_at INTEGER NOT NULL);
CREATE TABLE targets (
  bot_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, id INTEGER NOT NULL, event_id INTEGER NOT NULL, own TEXT,
  PRIMARY KEY (bot_id, id)) WITHOUT ROWID;
INSERT INTO events SELECT id, type, data, created_at FROM old_events;
INSERT INTO targets (bot_id, id, event_id) SELECT bot_id, id, id FROM old_events;
DELETE FROM sqlite_sequence WHERE name = 'events';
INSERT INTO sqlite_sequence (name, seq) SELECT 'events', seq FROM sqlite_sequence WHERE name = 'old_events';
DROP TABLE old_events;
CREATE INDEX events_by_age ON events (created_at);
`,
  `
-- A timeout belongs to a server and a user: it lasts when the member leaves and joins again.
CREATE TABLE timeouts (
  server_id TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  until INTEGER NOT NULL, PRIMARY KEY (server_id, user_id)) WITHOUT ROWID;
CREATE INDEX timeouts_of_user ON timeouts (user_id);
INSERT INTO timeouts SELECT server_id, user_id, timeout_until FROM members WHERE timeout_until IS NOT NULL;
ALTER TABLE members DROP COLUMN timeout_until;
-- The person who is responsible for the posts of a channel webhook, also after its deletion.
ALTER TABLE users ADD COLUMN creator_id TEXT;
UPDATE users SET creator_id = (SELECT w.creator_id FROM channel_webhooks w WHERE w.id = users.webhook_id);
`,
] as const
