import * as z from 'zod'
import { commandName, commandNameRule } from './command-name.ts'
import { ActionRow } from './components.ts'
import { Embed } from './embed.ts'
import { Id, received, text, Time } from './fields.ts'
import { limits } from '../limits.ts'
import { ownLimits } from '../own-limits.ts'
import { permissions } from '../text/words.ts'

/*
 * The responses of the service. The shapes are exact for the local service (decisions rows 1 to 15). They are loose objects, because the
 * real service may send more fields, and readers keep them. The client does not validate responses against them.
 */

/** A permission of a role (§5). */
export const Permission = z.enum(permissions)
export type Permission = z.infer<typeof Permission>

/** The generic success response (row 1). */
export const Ok = received({ ok: z.literal(true) })

/** The bot's own profile (§2). */
export const BotProfile = received({
  id: Id,
  username: z.string(),
  display_name: z.string().nullable(),
  bio: z.string(),
  avatar_url: z.string().nullable(),
  banner_url: z.string().nullable(),
  created_at: Time,
  bot: received({ name: z.string(), public: z.boolean(), owner_id: Id }),
})
export type BotProfile = z.infer<typeof BotProfile>

/** A registered command (§2). */
export const Command = z.object({
  name: z.string().regex(commandName, `must be ${commandNameRule}`),
  description: text(ownLimits.command_description.characters),
})
export type Command = z.infer<typeof Command>

/** The types of channels (§2). */
export const channelTypes = ['text', 'voice'] as const
/** The type of a channel (§2). */
export const ChannelType = z.enum(channelTypes)

const CategoryRef = received({ id: Id, name: z.string(), position: z.int() })

/** A channel (§2). */
export const Channel = received({
  id: Id,
  name: z.string(),
  type: ChannelType,
  server_id: Id,
  position: z.int(),
  category: CategoryRef.nullable(),
  category_id: Id.nullable(),
  private: z.boolean(),
  read_only: z.boolean(),
  slowmode: z.int(),
})
export type Channel = z.infer<typeof Channel>

/** A category (§2); lists also include `position`. */
export const Category = received({ id: Id, name: z.string(), position: z.int().optional() })
export type Category = z.infer<typeof Category>

/** A server (row 9). */
export const Server = received({
  id: Id,
  name: z.string(),
  owner_id: Id,
  icon_url: z.string().nullable(),
  member_count: z.int(),
  created_at: Time,
})
export type Server = z.infer<typeof Server>

/** A role (row 10). A greater `position` means a higher role (row 36). */
export const Role = received({
  id: Id,
  name: z.string(),
  color: z.string().nullable(),
  position: z.int(),
  permissions: z.array(z.string()),
})
export type Role = z.infer<typeof Role>

/** A member of a server (row 11); `roles` are ids. */
export const Member = received({
  user_id: Id,
  username: z.string(),
  display_name: z.string().nullable(),
  nickname: z.string().nullable(),
  roles: z.array(Id),
  bot: z.boolean(),
  joined_at: Time,
})
export type Member = z.infer<typeof Member>

/** One member, with the end of its timeout (row 11). */
export const MemberDetail = Member.extend({ timeout_until: Time.nullable() })
export type MemberDetail = z.infer<typeof MemberDetail>

/** A ban (row 12). */
export const Ban = received({ user_id: Id, username: z.string(), reason: z.string().nullable(), created_at: Time })
export type Ban = z.infer<typeof Ban>

/** The reactions with one emoji on a message (row 13). */
export const Reaction = received({ emoji: z.string(), count: z.int(), me: z.boolean(), user_ids: z.array(Id) })
export type Reaction = z.infer<typeof Reaction>

/** A user's public profile (row 14). */
export const PublicProfile = received({
  id: Id,
  username: z.string(),
  display_name: z.string().nullable(),
  bio: z.string(),
  avatar_url: z.string().nullable(),
  banner_url: z.string().nullable(),
  bot: z.boolean(),
  created_at: Time,
})
export type PublicProfile = z.infer<typeof PublicProfile>

/** The author of messages in a list (row 8). */
export const Author = received({
  id: Id,
  username: z.string(),
  display_name: z.string().nullable(),
  avatar_url: z.string().nullable(),
  bot: z.boolean(),
})
export type Author = z.infer<typeof Author>

/** The fields of a message both in its event and in responses (§6). */
export const messageFields = {
  id: Id,
  channel_id: Id,
  channel_name: z.string().nullable(),
  server_id: Id.nullable(),
  author_id: Id,
  author: z.string(),
  content: z.string(),
  attachment: z.string().nullable(),
  reply_to_id: Id.nullable(),
  created_at: Time,
  mentioned: z.boolean(),
  author_bot: z.boolean(),
}

/** A message in responses (row 6). */
export const Message = received({
  ...messageFields,
  embeds: z.array(Embed),
  components: z.array(ActionRow),
  pinned: z.boolean(),
  edited_at: Time.nullable(),
  reactions: z.array(Reaction),
})
export type Message = z.infer<typeof Message>

/** The statuses that a bot can set (§4, PUT /me/status). */
export const statuses = ['online', 'idle', 'dnd'] as const
/** The body of `PUT /me/status` (§4). */
export const StatusUpdate = z.object({
  status: z.enum(statuses),
  activity: text(limits.activity.characters).nullable().optional(),
})

/** The people in a voice channel (§4, Voice). */
export const VoiceState = received({ channel_id: Id, user_ids: z.array(Id) })

/** A channel webhook as `GET` returns it (§4); never includes its token. */
export const ChannelWebhook = received({
  id: Id,
  name: z.string(),
  avatar_url: z.string().nullable(),
  channel_id: Id,
  server_id: Id,
})
export type ChannelWebhook = z.infer<typeof ChannelWebhook>
