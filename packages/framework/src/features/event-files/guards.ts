import { BoundedMap, BotwrightError, isId, sameEmoji } from '@botwright/protocol/facts'
import { foldName } from '@botwright/protocol/typed-text'
import type { Context } from '../../author/context.ts'
import { type DmGuard, type Guard, guard, type ServerGuard } from '../../author/guards/guard.ts'
import { dmOnly, hasRole } from '../roles/role-guards.ts'
import { type BotServices, servicesOf } from '../../bot/services.ts'

// Conditions are guards that refuse without a reply: so `anyOf`, `allOf` and `not` combine them.

type Fields = Readonly<Record<string, unknown>>
const fieldsOf = (ctx: Context): Fields => ctx.event

/** Passes if a message mentions the bot (§6). */
export const mentioned = (): Guard =>
  guard({
    describe: 'only for messages that mention the bot',
    check: (ctx) => fieldsOf(ctx)['mentioned'] === true,
    refusal: '',
  })

/** Passes in direct messages. */
export const directMessage = (): DmGuard => dmOnly({ refusal: '' })

/** Passes if a reaction has one of these emoji: `emoji('⭐', '🌟')`. U+FE0F makes no difference. */
export function emoji(...all: readonly [string, ...string[]]): Guard {
  const list: readonly unknown[] = all
  if (list.length === 0 || list.some((one) => typeof one !== 'string' || one === ''))
    refuse("emoji: pass one or more emoji, such as emoji('⭐')")
  return guard({
    describe: `only for ${all.join(' or ')}`,
    check(ctx) {
      const { emoji: own } = fieldsOf(ctx)
      return typeof own === 'string' && all.some((one) => sameEmoji(one, own))
    },
    refusal: '',
  })
}

/** Passes in a channel, given by its id or its name, with or without `#`. The names of channels are requested from the service, unless the event has them. */
export function inChannel(channel: string): Guard {
  const name = typeof channel === 'string' ? foldName(channel.trim().replace(/^#/, '')) : ''
  if (name === '') refuse("inChannel: the channel must be its id or name, such as inChannel('#support')")
  return guard({
    describe: `only in ${isId(name) ? `the channel ${name}` : `#${name}`}`,
    check(ctx) {
      if (ctx.channel_id === null) return false
      if (ctx.channel_id.toLowerCase() === name) return true
      if (isId(name)) return false
      const { channel_name: known } = fieldsOf(ctx)
      // Null in direct messages (§6).
      if (known !== undefined) return typeof known === 'string' && foldName(known) === name
      return namesOf(servicesOf(ctx))
        .of(ctx.channel_id)
        .then((found) => found === name)
    },
    refusal: '',
  })
}

/** Passes for members with a role of the server, given by its id or name: see `hasRole`. */
export const from = (role: string): ServerGuard => hasRole(role, { refusal: '' })

const NAME_MS = 60_000
const MOST_NAMES = 1000

/** The names of channels, requested from the service and cached for a short time. */
class ChannelNames {
  readonly #services: BotServices
  readonly #known = new BoundedMap<string, { untilMs: number; name: Promise<string> }>(MOST_NAMES)

  constructor(services: BotServices) {
    this.#services = services
  }

  of(channel_id: string): Promise<string> {
    const nowMs = this.#services.clock.monotonic()
    const known = this.#known.get(channel_id)
    if (known && known.untilMs > nowMs) return known.name
    const name = this.#request(channel_id)
    this.#known.set(channel_id, { untilMs: nowMs + NAME_MS, name })
    // A failed request is repeated by the next caller.
    name.catch(() => this.#known.delete(channel_id))
    return name
  }

  async #request(channel_id: string): Promise<string> {
    // Only the id of a channel is certain.
    const { name } = (await this.#services.api.channels.get({ channel_id })).channel as { name?: unknown }
    return typeof name === 'string' ? foldName(name) : ''
  }
}

const names = new WeakMap<BotServices, ChannelNames>()

function namesOf(services: BotServices): ChannelNames {
  let found = names.get(services)
  if (!found) names.set(services, (found = new ChannelNames(services)))
  return found
}

function refuse(fact: string): never {
  throw new BotwrightError('ERR_DEFINITION', fact)
}
