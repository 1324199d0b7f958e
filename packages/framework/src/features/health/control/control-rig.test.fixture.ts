import type { ConfigInput } from '../../../author/config/config.ts'
import type { StartBotOptions } from '../../../runtime/ports/running-bot.ts'
import type { ChatRig } from '../../../tests/chat-rig.test.fixture.ts'
import type { ControlState } from './control-state.ts'

export const controlToken = 'a-control-token-for-tests'
export const framework = new URL('../../../../dist/index.js', import.meta.url).href
export const files = {
  'commands/ping.ts': "export default (ctx) => 'pong ' + ctx.typed",
  'commands/boom.ts': "export default () => { throw new Error('boom of a-control-token-for-tests') }",
  'commands/block.ts': 'export default (ctx) => { if (!ctx.redelivered) for (;;); }',
  'commands/exit.ts': 'export default () => process.exit(3)',
}

/** Starts a bot with a control room. */
export async function startControlled(
  rig: ChatRig,
  options: { config?: ConfigInput; actions?: boolean; more?: Record<string, string> } & Partial<
    Pick<StartBotOptions, 'blockSeconds' | 'clock' | 'dispatcher'>
  > = {},
) {
  const { config = {}, actions = false, more = {}, ...others } = options
  const health = { port: 0, control: { actions } }
  const bot = await rig.startBot({ ...files, ...more }, { ...others, controlToken, config: { ...config, health } })
  const url = rig
    .logged('info')
    .flatMap((line) => /^control room: (http:\S+)$/.exec(line)?.[1] ?? [])
    .at(-1)!
  const call = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { authorization: `Bearer ${controlToken}`, ...init.headers } })
  const state = async () => (await (await call('/state')).json()) as ControlState
  const problems = async () => (await state()).problems.map(({ code }) => code)
  await rig.until(async () => (await state()).ready)
  return { bot, url, call, state, problems }
}
