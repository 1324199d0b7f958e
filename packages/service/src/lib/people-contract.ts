import {
  Author,
  Category,
  endpoint,
  endpoints,
  Id,
  Message,
  MessageEdit,
  Ok,
  PublicProfile,
  QueryInteger,
  Reaction,
  Role,
  Permission,
  Server,
  text,
  Time,
  limits,
} from '@botwright/protocol'
import { z } from 'zod'
import { ClickAnswer, ClickState, Dm, OwnedBot, Person, ServerView } from './people-resources.ts'

/*
 * The people's side, `/people/v1`, stated once like the bot interface. Every call but `POST /sessions` sends
 * `Authorization: Person <token>`; `GET /stream` also takes `?token=`, because an EventSource cannot set headers.
 */

const spec = 'people'
const { messages_page } = limits
const Name = z.string().refine((value) => value.trim() !== '', { error: 'must not be empty' })

/** A username: what others type, so it holds no blank. */
export const Username = z
  .string()
  .regex(/^[^\s@#:<>]{1,32}$/, { error: 'must be 1 to 32 characters without blanks, @, #, :, < or >' })

export const sessions = {
  create: endpoint({
    method: 'POST',
    path: '/sessions',
    spec,
    summary: 'Signs in by name; makes the person if the name is new',
    body: z.object({ username: Username }),
    response: z.object({ token: z.string(), person: Person }),
    auth: 'path_token',
  }),
} as const

export const me = {
  get: endpoint({
    method: 'GET',
    path: '/me',
    spec,
    summary: 'The person, its servers and its direct messages',
    response: z.object({ person: Person, servers: z.array(Server), dms: z.array(Dm) }),
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/me',
    spec,
    summary: 'Changes the own profile',
    body: z.object({
      display_name: text(limits.display_name.characters).nullable().optional(),
      bio: text(limits.bio.characters).optional(),
      accepts_dms: z.boolean().optional(),
    }),
    response: z.object({ person: Person }),
  }),
} as const

export const servers = {
  /** Every server there is: signing in is choosing a name, so the page offers them all to join. */
  list: endpoint({
    method: 'GET',
    path: '/servers',
    spec,
    summary: 'All servers; `member` says whether the person is in it',
    response: z.object({ servers: z.array(Server.extend({ member: z.boolean() })) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/servers',
    spec,
    summary: 'Makes a server with the channel #general',
    body: z.object({ name: Name }),
    response: z.object({ server: Server }),
  }),
  get: endpoint({
    method: 'GET',
    path: '/servers/{server_id}',
    spec,
    summary: 'A server with everything that the page shows of it',
    response: ServerView,
  }),
  join: endpoint({ method: 'PUT', path: '/servers/{server_id}/members/me', spec, summary: 'Joins', response: Ok }),
  leave: endpoint({ method: 'DELETE', path: '/servers/{server_id}/members/me', spec, summary: 'Leaves', response: Ok }),
  addBot: endpoint({
    method: 'PUT',
    path: '/servers/{server_id}/bots/{bot_id}',
    spec,
    summary: "Adds a bot: approved, or the owner's own",
    response: Ok,
    permission: 'manage_server',
  }),
  removeBot: endpoint({
    method: 'DELETE',
    path: '/servers/{server_id}/bots/{bot_id}',
    spec,
    summary: 'Removes a bot',
    response: Ok,
    permission: 'manage_server',
  }),
} as const

export const roles = {
  create: endpoint({
    method: 'POST',
    path: '/servers/{server_id}/roles',
    spec,
    summary: 'Makes a role',
    body: z.object({
      name: Name,
      permissions: z.array(Permission).default([]),
      color: z
        .string()
        .regex(/^#[0-9a-f]{6}$/i, { error: 'must be "#rrggbb"' })
        .nullable()
        .default(null),
      position: z.int().min(1).optional(),
    }),
    response: z.object({ role: Role }),
    permission: 'manage_roles',
  }),
} as const

export const channels = {
  create: endpoint({ ...endpoints.channels.create, spec }),
  update: endpoint({ ...endpoints.channels.update, spec }),
  delete: endpoint({ ...endpoints.channels.delete, spec }),
  createCategory: endpoint({ ...endpoints.categories.create, spec, response: z.object({ category: Category }) }),
} as const

const onePath = '/channels/{channel_id}/messages/{message_id}'

export const messages = {
  list: endpoint({
    method: 'GET',
    path: '/channels/{channel_id}/messages',
    spec,
    summary: 'Messages, oldest first, with their authors',
    query: z.object({
      limit: QueryInteger(messages_page.min, messages_page.max).default(messages_page.default),
      before: Time.optional(),
      after: Time.optional(),
    }),
    response: z.object({ messages: z.array(Message), authors: z.array(Author) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/channels/{channel_id}/messages',
    spec,
    summary: 'Posts a message',
    body: z
      .object({ content: text(limits.message_content.characters), reply_to: Id.optional() })
      .refine((message) => message.content.trim() !== '', { error: 'a message needs content', path: ['content'] }),
    response: Message,
  }),
  get: endpoint({ method: 'GET', path: onePath, spec, summary: 'One message', response: Message }),
  update: endpoint({
    method: 'PATCH',
    path: onePath,
    spec,
    summary: 'Edits the own message',
    body: MessageEdit.pick({ content: true }),
    response: Message,
  }),
  delete: endpoint({ ...endpoints.messages.delete, spec }),
  pin: endpoint({ ...endpoints.messages.pin, spec }),
  unpin: endpoint({ ...endpoints.messages.unpin, spec }),
} as const

export const reactions = {
  list: endpoint({ ...endpoints.reactions.list, spec, response: z.object({ reactions: z.array(Reaction) }) }),
  add: endpoint({ ...endpoints.reactions.add, spec }),
  remove: endpoint({ ...endpoints.reactions.remove, spec }),
} as const

export const clicks = {
  create: endpoint({
    method: 'POST',
    path: `${onePath}/clicks`,
    spec,
    summary: 'Clicks a button',
    body: z.object({ custom_id: z.string() }),
    response: z.object({ interaction_id: Id }),
    limits: ['button_clicks'],
  }),
  get: endpoint({
    method: 'GET',
    path: '/clicks/{interaction_id}',
    spec,
    summary: 'What became of a click',
    response: z.object({ state: ClickState, answers: z.array(ClickAnswer) }),
  }),
} as const

export const users = {
  get: endpoint({
    method: 'GET',
    path: '/users/{user_id}',
    spec,
    summary: 'A public profile',
    response: PublicProfile,
  }),
  dm: endpoint({
    method: 'POST',
    path: '/users/{user_id}/dm',
    spec,
    summary: 'Opens or finds direct messages',
    response: z.object({ channel_id: Id }),
  }),
} as const

export const voice = {
  join: endpoint({ method: 'PUT', path: '/channels/{channel_id}/voice', spec, summary: 'Joins voice', response: Ok }),
  leave: endpoint({
    method: 'DELETE',
    path: '/channels/{channel_id}/voice',
    spec,
    summary: 'Leaves voice',
    response: Ok,
  }),
} as const

export const moderation = {
  setNickname: endpoint({ ...endpoints.moderation.setNickname, spec }),
  addRole: endpoint({ ...endpoints.moderation.addRole, spec }),
  removeRole: endpoint({ ...endpoints.moderation.removeRole, spec }),
  kick: endpoint({ ...endpoints.moderation.kick, spec }),
  bans: endpoint({ ...endpoints.moderation.bans, spec }),
  ban: endpoint({ ...endpoints.moderation.ban, spec }),
  unban: endpoint({ ...endpoints.moderation.unban, spec }),
  timeout: endpoint({ ...endpoints.moderation.timeout, spec }),
} as const

export const bots = {
  list: endpoint({
    method: 'GET',
    path: '/bots',
    spec,
    summary: 'The own bots',
    response: z.object({ bots: z.array(OwnedBot) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/bots',
    spec,
    summary: 'Makes a bot; the token is shown this once',
    body: z.object({
      username: Username,
      display_name: text(limits.display_name.characters).nullable().optional(),
      bio: text(limits.bio.characters).optional(),
    }),
    response: z.object({ bot: OwnedBot, token: z.string() }),
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/bots/{bot_id}',
    spec,
    summary: 'Changes the profile of an own bot',
    body: z.object({
      display_name: text(limits.display_name.characters).nullable().optional(),
      bio: text(limits.bio.characters).optional(),
    }),
    response: z.object({ bot: OwnedBot }),
  }),
  delete: endpoint({ method: 'DELETE', path: '/bots/{bot_id}', spec, summary: 'Deletes an own bot', response: Ok }),
  newToken: endpoint({
    method: 'POST',
    path: '/bots/{bot_id}/token',
    spec,
    summary: 'A new token; the old one dies at once',
    response: z.object({ token: z.string() }),
  }),
  setEventWebhook: endpoint({
    method: 'PUT',
    path: '/bots/{bot_id}/event-webhook',
    spec,
    summary: 'Sets or removes the event webhook',
    body: z.object({ url: z.string().nullable() }),
    response: z.object({ secret: z.string().nullable() }),
  }),
  newEventWebhookSecret: endpoint({
    method: 'POST',
    path: '/bots/{bot_id}/event-webhook/secret',
    spec,
    summary: 'A new secret for the event webhook',
    response: z.object({ secret: z.string() }),
  }),
  testEvent: endpoint({
    method: 'POST',
    path: '/bots/{bot_id}/test-event',
    spec,
    summary: 'Sends the bot a `test` event',
    response: Ok,
  }),
} as const

/** Every endpoint of the people's side but the stream, by group and name. */
export const peopleEndpoints = {
  sessions,
  me,
  servers,
  roles,
  channels,
  messages,
  reactions,
  clicks,
  users,
  voice,
  moderation,
  bots,
} as const
export type PeopleEndpoints = typeof peopleEndpoints
