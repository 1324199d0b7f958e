import { BotwrightError } from '@botwright/protocol/facts'
import type { Config } from '../../../author/config/config.ts'

/** The control room needs a port and a token. Throws `ERR_CONFIG`. */
export function checkControl({ health }: Config, token: string | undefined, actions?: boolean): void {
  const wanted = actions ? '--control-actions' : health?.control && 'health.control of bot.config.ts'
  if (wanted !== undefined && token === undefined)
    throw new BotwrightError(
      'ERR_CONFIG',
      `BOT_CONTROL_TOKEN is not set, but ${wanted} opens the control room: set it to the output of "openssl rand -hex 32"`,
    )
  if (token !== undefined && !health)
    throw new BotwrightError(
      'ERR_CONFIG',
      'BOT_CONTROL_TOKEN is set, but the control room has no port: set BOT_HEALTH_PORT, or health in bot.config.ts, or remove the token',
    )
}
