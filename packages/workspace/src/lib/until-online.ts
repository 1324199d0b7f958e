import type { Person } from '@botwright/testing'
import { setTimeout as pause } from 'node:timers/promises'

/** Waits until a bot in one of this person's servers is online with its commands registered. Rejects if its process ends, or after a minute. */
export async function untilOnline(person: Person, bot: { readonly exitCode: number | null }) {
  for (let tries = 0; tries < 3000; tries++) {
    if (bot.exitCode !== null) throw new Error(`the bot ended with exit code ${bot.exitCode}`)
    const { servers } = await person.api.me.get()
    for (const { id } of servers) {
      const { bots } = await person.api.servers.get({ server_id: id })
      if (bots.some((one) => one.presence.status === 'online' && one.commands.length > 0)) return
    }
    await pause(20)
  }
  throw new Error('the bot did not come online within a minute')
}
