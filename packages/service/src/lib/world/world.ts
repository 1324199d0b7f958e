import { BotwrightError, DisplayName, explain, Id, limits, Name, Permission } from '@botwright/protocol'
import { foldName } from '@botwright/protocol/typed-text'
import * as z from 'zod'
import { Username } from '../people-api/endpoints/index.ts'
import { Color } from '../people-api/endpoints/roles.ts'

const id = Id.optional()

/** A token, which a header can carry. */
const Token = z
  .string()
  .min(8)
  .regex(/^[!-~]+$/, { error: 'must not contain spaces or characters beyond ASCII' })

/** A name that refers to something else in the world: composed, like names. */
const Reference = z.string().overwrite((name) => name.normalize('NFC'))

const WorldSchema = z.strictObject({
  people: z
    .array(
      z.strictObject({
        id,
        username: Username,
        display_name: DisplayName.nullable().optional(),
        staff: z.boolean().optional(),
        tier: z.enum(['free', 'paid']).optional(),
        accepts_dms: z.boolean().optional(),
        token: Token.optional(),
      }),
    )
    .default([]),
  bots: z
    .array(
      z.strictObject({
        id,
        username: Username,
        owner: Reference,
        token: Token.optional(),
        approved: z.boolean().optional(),
        event_webhook: z.strictObject({ url: z.url(), secret: z.string().min(1) }).optional(),
      }),
    )
    .default([]),
  servers: z
    .array(
      z.strictObject({
        id,
        name: Name,
        owner: Reference,
        members: z.array(Reference).default([]),
        bots: z.array(Reference).default([]),
        flags: z
          .strictObject({ bot_voice: z.boolean().optional(), channel_webhooks: z.boolean().optional() })
          .default({}),
        roles: z
          .array(
            z.strictObject({
              id,
              name: Name,
              permissions: z.array(Permission).default([]),
              members: z.array(Reference).default([]),
              position: z.int().min(1).optional(),
              color: Color.nullable().default(null),
            }),
          )
          .default([]),
        categories: z.array(z.strictObject({ id, name: Name })).default([]),
        channels: z
          .array(
            z.strictObject({
              id,
              name: Name,
              type: z.enum(['text', 'voice']).default('text'),
              category: Reference.optional(),
              private: z.boolean().default(false),
              roles: z.array(Reference).default([]),
              members: z.array(Reference).default([]),
              read_only: z.boolean().default(false),
              post_roles: z.array(Reference).default([]),
              slowmode: z.int().min(0).max(limits.channel_slowmode.seconds).default(0),
            }),
          )
          .default([]),
      }),
    )
    .default([]),
  content_rules: z
    .strictObject({ words: z.array(z.string()).optional(), hosts: z.array(z.string()).optional() })
    .optional(),
})

/** A world as written in a world file: the people, bots and servers that the service starts with. */
export type World = z.input<typeof WorldSchema>
export type CheckedWorld = z.output<typeof WorldSchema>

const fail = (text: string) => new BotwrightError('ERR_WORLD', `world: ${text}`)

/** Validates a world: its shape, and that every name it refers to exists in it. `ERR_WORLD` names the field. */
export function checkWorld(world: unknown): CheckedWorld {
  const result = WorldSchema.safeParse(world)
  if (!result.success) throw fail(explain(result.error))
  const checked = result.data
  const people = new Set(checked.people.map((one) => foldName(one.username)))
  const botNames = new Set(checked.bots.map((one) => foldName(one.username)))
  const known = (name: string, where: string, sets: Set<string>[], what: string) => {
    if (!sets.some((set) => set.has(foldName(name)))) throw fail(`${where}: there is no ${what} named "${name}"`)
  }
  unique(
    [...checked.people, ...checked.bots].map((one) => foldName(one.username)),
    'people and bots',
  )
  const given = [
    ...[...checked.people, ...checked.bots, ...checked.servers],
    ...checked.servers.flatMap(({ roles, categories, channels }) => [...roles, ...categories, ...channels]),
  ]
  unique(
    given.flatMap((one) => one.id?.toLowerCase() ?? []),
    'the ids',
  )
  const users = [...checked.people, ...checked.bots]
  // The token is a secret, so the error names its owner instead.
  const shared = users.find(({ token }, index) => token && users.findIndex((one) => one.token === token) < index)
  if (shared) throw fail(`"${shared.username}" has the same token as another user; tokens must be unique`)
  checked.bots.forEach((bot, index) => known(bot.owner, `bots[${index}].owner`, [people], 'person'))
  checked.servers.forEach((server, s) => {
    const at = `servers[${s}]`
    known(server.owner, `${at}.owner`, [people], 'person')
    server.members.forEach((name, i) => known(name, `${at}.members[${i}]`, [people, botNames], 'person or bot'))
    server.bots.forEach((name, i) => known(name, `${at}.bots[${i}]`, [botNames], 'bot'))
    const bots = new Set(
      [...server.members, ...server.bots].map((name) => foldName(name)).filter((name) => botNames.has(name)),
    )
    if (bots.size > limits.bots_per_server.max) {
      throw fail(`${at}.bots: ${bots.size} bots are too many; a server can have at most ${limits.bots_per_server.max}`)
    }
    const inside = new Set([server.owner, ...server.members, ...server.bots].map((name) => foldName(name)))
    const roles = new Set(server.roles.map((role) => foldName(role.name)))
    const categories = new Set(server.categories.map((category) => foldName(category.name)))
    server.roles.forEach((role, r) =>
      role.members.forEach((name, i) => known(name, `${at}.roles[${r}].members[${i}]`, [inside], 'member')),
    )
    server.channels.forEach((channel, c) => {
      const here = `${at}.channels[${c}]`
      if (channel.category !== undefined) known(channel.category, `${here}.category`, [categories], 'category')
      channel.roles.forEach((name, i) => known(name, `${here}.roles[${i}]`, [roles], 'role'))
      channel.post_roles.forEach((name, i) => known(name, `${here}.post_roles[${i}]`, [roles], 'role'))
      channel.members.forEach((name, i) => known(name, `${here}.members[${i}]`, [inside], 'member'))
    })
    unique(
      server.roles.map((role) => foldName(role.name)),
      `${at}.roles`,
    )
  })
  return checked
}

function unique(names: readonly string[], where: string): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw fail(`${where}: "${twice}" is used twice; names must be unique`)
}
