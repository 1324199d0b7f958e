import type { Log } from '../../author/ports.ts'
import type { RunningBot } from '../../runtime/ports/running-bot.ts'

/** A bot receives events only of servers that it was added to (§1). Without one it seems to do nothing. */
export async function logIfInNoServer({ call, me }: RunningBot, log: Log): Promise<void> {
  try {
    const { servers } = await call('servers.list', {})
    if (Array.isArray(servers) && servers.length === 0)
      log.info(
        {},
        `${me.username} is not in any server: it receives only direct messages. A server manager can add it to a server`,
      )
  } catch {
    // Other calls report errors of the service.
  }
}
