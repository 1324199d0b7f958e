import type { Message } from '@botwright/protocol'
import { didYouMean } from '@botwright/protocol/facts'
import type { Service } from '@botwright/service'

/** Why no handler of the bot receives a message. */
export interface Unheard {
  reason: string
  /** The bot cannot see the channel: most likely a mistake in the test's world. */
  unseen: boolean
}

/** Why a message reaches no handler of the bot, as far as the service knows. */
export function unheardBy(service: Service, botId: string, { channel_id, content }: Message): Unheard | undefined {
  const { server, channel, commands } = service.observer.accessOf(botId, channel_id)
  const bot = nameOf(service.world.bots, botId)
  const place = placeOf(service, channel_id)
  if (!server)
    return {
      unseen: true,
      reason: `the bot is not in the server "${place?.server ?? ''}": add it in the world, as in bots: ['${bot}']`,
    }
  if (!channel)
    return {
      unseen: true,
      reason:
        `the bot does not see #${place?.channel ?? channel_id}, which is private: add it in the world, ` +
        `as in members: ['${bot}'] of that channel, or through a role that the bot and the channel share`,
    }
  const word = /^[/!]([a-z0-9_-]{1,32})(?=\s|$)/.exec(content)?.[1]
  if (word === undefined || commands.includes(word)) return undefined
  const near = didYouMean(word, commands)
  const known = commands.length === 0 ? 'it has none' : `it has ${commands.map((one) => `/${one}`).join(', ')}`
  return {
    unseen: false,
    reason: `the bot has no command /${word}; ${near === undefined ? known : `did you mean /${near}?`}`,
  }
}

const nameOf = (bots: Service['world']['bots'], botId: string): string =>
  Object.entries(bots).find(([, { id }]) => id === botId)?.[0] ?? 'bot'

function placeOf({ world }: Service, channelId: string): { server: string; channel: string } | undefined {
  for (const [server, { channels }] of Object.entries(world.servers))
    for (const [channel, id] of Object.entries(channels)) if (id === channelId) return { server, channel }
  return undefined
}
