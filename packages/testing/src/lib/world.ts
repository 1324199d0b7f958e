import { defaultWorld, type World } from '@botwright/service'
import { BotwrightError } from '@botwright/protocol/facts'

const BOT = 'bot'
const TOKEN = 'test-token-of-the-bot'

/** A world with the running bot, which is its first one, and its username as the service keeps it. A world without bots gets one, `bot`, in all of its servers. */
export function worldOf(wanted: World | undefined): { world: World; token: string; username: string } {
  const world = withBot(wanted ?? defaultWorld(BOT))
  const [first, ...others] = world.bots ?? []
  if (first === undefined)
    throw new BotwrightError('ERR_WORLD', 'bots: the first bot of the world must be the running bot')
  const token = first.token ?? TOKEN
  return {
    world: { ...world, bots: [{ ...first, token }, ...others] },
    token,
    username: first.username.normalize('NFC'),
  }
}

function withBot(world: World): World {
  if ((world.bots ?? []).length > 0) return world
  const owner = world.servers?.[0]?.owner ?? world.people?.[0]?.username
  if (owner === undefined) throw new BotwrightError('ERR_WORLD', 'people: the world needs a person to own the bot')
  return {
    ...world,
    bots: [{ username: BOT, owner }],
    servers: (world.servers ?? []).map((server) => ({ ...server, bots: [...(server.bots ?? []), BOT] })),
  }
}
