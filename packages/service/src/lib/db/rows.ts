/** The rows of the tables as SQLite returns them. */
export interface UserRow {
  id: string
  username: string
  display_name: string | null
  bio: string
  avatar_url: string | null
  banner_url: string | null
  created_at: number
  bot: number
  staff: number
  tier: 'free' | 'paid'
  accepts_dms: number
  banned: number
  /** The channel webhook that posts as this author; null for people and bots. */
  webhook_id: string | null
  /** The creator of the channel webhook. */
  creator_id: string | null
}

export interface BotRow {
  user_id: string
  owner_id: string
  public: number
  token_hash: string
  commands: string
  webhook_url: string | null
  webhook_secret: string | null
  review_state: 'private' | 'submitted' | 'approved' | 'sent_back'
  review_reason: string | null
}

export interface ServerRow {
  id: string
  name: string
  owner_id: string
  icon_url: string | null
  created_at: number
  flags: string
}

export interface RoleRow {
  id: string
  server_id: string
  name: string
  color: string | null
  position: number
  permissions: string
}

export interface MemberRow {
  server_id: string
  user_id: string
  nickname: string | null
  joined_at: number
}

export interface CategoryRow {
  id: string
  server_id: string
  name: string
  position: number
}

export interface ChannelRow {
  id: string
  server_id: string | null
  type: 'text' | 'voice' | 'dm'
  name: string | null
  category_id: string | null
  position: number
  private: number
  read_only: number
  slowmode: number
}

export interface MessageRow {
  seq: number
  id: string
  channel_id: string
  author_id: string
  content: string
  attachment: string | null
  reply_to_id: string | null
  embeds: string
  components: string
  pinned: number
  created_at: number
  edited_at: number | null
  /** The actual time; `created_at` may be slightly later, because it is strictly increasing within a channel. */
  posted_at: number
  /** The pings of a channel webhook's message (`Pings` as JSON); null for messages of members. */
  pings: string | null
}

export interface InteractionRow {
  id: string
  token_hash: string
  bot_id: string
  user_id: string
  custom_id: string
  message_id: string
  channel_id: string
  server_id: string | null
  created_at: number
}

export interface ChannelWebhookRow {
  id: string
  channel_id: string
  creator_id: string
  name: string
  avatar_url: string | null
  token_hash: string
  created_at: number
}
