import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventWebhookHeaders, signEventWebhook } from '@botwright/protocol/facts'
import { ChatRig, token as botToken } from './chat-rig.test.fixture.ts'
import { readConfig } from '../runtime/config/read-config.ts'
import { describeCrash } from '../cli/crash.ts'
import { createLog } from '../program/log.ts'

const webhookSecret = 'canary-webhook-secret-5f81'
/** These clicks crash the thread each time. They are set aside with their token, which `framework replay` needs. */
const DEADLY = 1030
/** Higher than the ids of the service's own events. */
const FIRST = 1000

/** A button whose handler fails in a different way for each event, with every secret in the error. */
const failing = (hookUrl: string) => `
import { channelWebhook } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)}
const hook = channelWebhook(${JSON.stringify(hookUrl)})
const ways = [
  (all) => { throw new Error(all) },
  (all) => { throw all },
  (all, list) => { throw { nested: { deep: list } } },
  (all) => { throw new Error('outer', { cause: new Error(all, { cause: all }) }) },
  (all, list) => { throw new AggregateError(list.map((one) => new Error(one)), all) },
  (all, list) => { throw Object.assign(new TypeError('with facts'), { url: list[3], token: list[2], headers: { authorization: 'Bot ' + list[0] } }) },
  (all, list) => { throw new Error(JSON.stringify({ list, url: encodeURIComponent(all) })) },
  (all, list) => { throw new Error(list.map(encodeURIComponent).join(' ')) },
  (all) => { null[all]() },
  (all, list, ctx) => ctx.log.error({ error: new Error(all), list, deep: { token: list[2] } }, all),
  (all, list, ctx) => { ctx.log.debug({ [all]: list }, all); ctx.log.info({ event: ctx.event }, 'seen'); ctx.log.warn({}, list[3]) },
  (all) => { void Promise.reject(new Error(all)) },
  (all, list) => { void Promise.reject({ list }) },
  (all, list, ctx) => ctx.reply(all),
  (all, list, ctx) => ctx.api.messages.get({ channel_id: list[2], message_id: list[3] }),
  (all, list, ctx) => ctx.api.messages.create({ channel_id: ctx.envelope.id, content: all.repeat(90) }),
  (all, list) => hook.post(all.repeat(90)),
  async (all) => { await null; throw Object.freeze(new RangeError(all)) },
  (all, list) => { throw Object.assign(new Error(''), { name: all, stack: 'Error: ' + all + '\\n    at ' + list[3] }) },
]
export default async (ctx) => {
  const list = [${JSON.stringify(botToken)}, ${JSON.stringify(webhookSecret)}, ctx.event.token, ${JSON.stringify(hookUrl)}]
  const all = list.join(' ')
  if (ctx.envelope.id === ${DEADLY}) { setTimeout(() => { throw new Error(all) }); await new Promise(() => {}) }
  await ways[ctx.envelope.id % ways.length](all, list, ctx)
}`

/**
 * Makes a bot in a worker fail `count` times, each time with a different click token from the event webhook. Searches all output for
 * its secrets: the log at level trace, standard output and error, the output of a crash, and the files of its folder.
 * Returns each occurrence with the text around it.
 */
export async function forceErrors(count: number): Promise<{ errors: number; lines: number; hits: string[] }> {
  await using rig = await ChatRig.start()
  const { url } = await rig.person('ann').channelWebhooks.create({ channel_id: rig.channel('c0'), name: 'News desk' })
  let written = ''
  let lines = 0
  let port: number | undefined
  const hits: string[] = []
  const secrets = new RegExp(
    `.{0,60}(?:${[botToken, webhookSecret, url.split('/').at(-1)!].join('|')}|canary-click-(\\d+)-).{0,20}`,
    'g',
  )
  const look = (where: string, text: string) => {
    for (const hit of text.matchAll(secrets))
      if (!(where.startsWith('journal.db') && hit[1] === String(DEADLY))) hits.push(`${where}: ${hit[0]}`)
  }
  const log = createLog({
    level: 'trace',
    write: (line) => {
      lines++
      written += line
      port ??= (JSON.parse(line) as { port?: number }).port
    },
  })
  const restore = [process.stdout, process.stderr].map((stream) => {
    const { write } = stream
    stream.write = (chunk: string | Uint8Array, ...rest: never[]) => {
      written += String(chunk)
      return write.call(stream, chunk, ...rest)
    }
    return () => (stream.write = write)
  })
  try {
    const bot = await rig.startBot(
      { 'buttons/fail.ts': failing(url) },
      {
        log,
        config: { delivery: 'webhook', webhook: { port: 0 } },
        webhookSecrets: [webhookSecret],
        record: true,
      },
    )
    const channel_id = rig.channel('general')
    const click = async (id: number) => {
      // Some contain characters that JSON or URLs escape.
      const odd = id % 5 === 0 ? '"+/=' : ''
      const data = {
        id: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
        token: `canary-click-${id}-${randomBytes(12).toString('base64url')}${odd}`,
        custom_id: 'fail',
        channel_id,
        // A message of its own, so that the clicks run in parallel.
        message_id: `00000000-0000-4000-9000-${String(id).padStart(12, '0')}`,
        user: { id: channel_id, username: 'ann' },
      }
      const body = JSON.stringify({ id, event: 'interaction', data })
      const headers = {
        [eventWebhookHeaders.bot]: bot.me.id,
        [eventWebhookHeaders.signature]: signEventWebhook(webhookSecret, body),
      }
      const post = () => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })
      // On a busy machine the receiver may close an idle connection while the next request is on its way; an id counts once.
      const answer = await post().catch(post).catch(post).catch(post)
      await answer.arrayBuffer()
      if (answer.status !== 200) throw new Error(`the receiver answered ${answer.status}`)
      for (const error of id % 50 === 0 ? [new Error(`${data.token} ${url}`, { cause: data.token }), data] : [])
        written += describeCrash(error, { BOT_TOKEN: botToken })
    }
    let next = FIRST
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        while (next < FIRST + count) await click(next++)
      }),
    )
    await rig.until(() => bot.stats().finished + bot.stats().setAside >= count)
    await readConfig({ webhook: { path: webhookSecret }, delivery: botToken }, 'bot.config.ts').catch(
      (error: unknown) => (written += describeCrash(error, { BOT_TOKEN: botToken, BOT_WEBHOOK_SECRET: webhookSecret })),
    )
    await bot.stop()
  } finally {
    for (const back of restore) back()
  }
  look('output', written)
  const folder = join(rig.root, '.botwright')
  for (const file of readdirSync(folder)) look(file, readFileSync(join(folder, file), 'latin1'))
  return { errors: count, lines, hits }
}
