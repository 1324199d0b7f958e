// @module-tag all/incidents
// Thirteen incidents in a built bot that runs in a process of its own, without the packages for development: what is wrong, and the fix, can be
// read within seconds from /readyz or the control room.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { writeState } from '@botwright/framework/replay'
import { type Service, startService } from '@botwright/service'
import { connectPeople } from '@botwright/service/people'
import { openDatabase } from '@botwright/sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificates, Gateway } from './gateway.ts'

const run = promisify(execFile)
const repository = fileURLToPath(new URL('../../../../', import.meta.url))
const program = join(repository, 'packages/framework/bin/framework.cjs')
const controlToken = 'a-control-token-for-incidents'
const token = 'token-of-the-helper'

interface Problem {
  code: string
  text: string
  fix: string
  errors?: { last: { message: string; line: string; reference: string } }
}

let folder: string
let service: Service
let gateway: Gateway
let webhookSecret: string
const bots: Bot[] = []

/** A process of `framework start`. */
class Bot {
  output = ''
  readonly #child: ChildProcess
  readonly ended: Promise<number | null>

  constructor(variables: Record<string, string>, state: string) {
    this.#child = spawn(process.execPath, [program, 'start', '--state', state], {
      cwd: folder,
      env: { ...process.env, ...productionEnv(), ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text))
    this.ended = new Promise((resolve) => this.#child.once('exit', resolve))
    bots.push(this)
  }

  /** The part of the log in parentheses, once there is one. */
  async logged(pattern: RegExp): Promise<string> {
    await expect.poll(() => this.output).toMatch(pattern)
    return pattern.exec(this.output)![1]!
  }

  async #get(path: string): Promise<{ problems: Problem[] }> {
    const url = await this.logged(/health endpoint listening on (http:[^"\s]+)/)
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${controlToken}` } })
    return (await answer.json()) as { problems: Problem[] }
  }

  /** The problem with this code and this text, once `/readyz` shows it. */
  async shows(code: string, text: RegExp): Promise<Problem> {
    let found: Problem | undefined
    const seen = new Set<string>()
    const look = async () => {
      const { problems } = await this.#get('/readyz')
      found = problems.find((one) => one.code === code && text.test(one.text))
      for (const one of problems) seen.add(`${one.code}: ${one.text}`)
      return seen
    }
    await expect.poll(look).toSatisfy(() => found !== undefined)
    return found!
  }

  /** The same problem in the control room, with the texts of its errors. */
  async inControlRoom(code: string): Promise<Problem> {
    return (await this.#get('/control/state')).problems.find((one) => one.code === code)!
  }

  async recovers(code: string): Promise<void> {
    await expect.poll(async () => (await this.#get('/readyz')).problems.map((one) => one.code)).not.toContain(code)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}

const productionEnv = () => ({
  BOT_TOKEN: token,
  BOT_BASE_URL: gateway.base_url,
  BOT_WEBHOOK_SECRET: webhookSecret,
  BOT_CONTROL_TOKEN: controlToken,
  BOT_HEALTH_PORT: '0',
  NODE_EXTRA_CA_CERTS: join(folder, 'certificates.pem'),
  NODE_OPTIONS: '',
  NO_COLOR: '1',
})

const person = (name: string) =>
  connectPeople(() => ({ origin: service.url, token: service.world.people[name]!.token }))
const channel = (name: string) => service.world.servers['Workshop']!.channels[name]!
const says = (name: string, content: string, where = 'general') =>
  person(name).messages.create({ channel_id: channel(where), content })

/** A command of the program in the bot's folder. */
async function framework(...args: string[]): Promise<string> {
  const ended = run(process.execPath, [program, ...args], { cwd: folder, env: { ...process.env, ...productionEnv() } })
  return ended.then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  )
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'botwright-incidents-'))
  cpSync(fileURLToPath(new URL('.', import.meta.url)), folder, { recursive: true })
  for (const file of readdirSync(folder)) if (/test|gateway/.test(file)) rmSync(join(folder, file))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "version": "1.0.0" }')
  writeFileSync(join(folder, 'certificates.pem'), Object.values(certificates).join('\n'))
  const packages = join(folder, 'node_modules/@botwright')
  mkdirSync(packages, { recursive: true })
  for (const name of ['framework', 'dev']) symlinkSync(join(repository, 'packages', name), join(packages, name))
  await run(process.execPath, [program, 'build'], { cwd: folder })
  // As on a server: only the build, and the packages for production.
  unlinkSync(join(packages, 'dev'))
  for (const name of ['commands', 'state', 'bot.config.ts']) rmSync(join(folder, name), { recursive: true })
  service = await startService({
    port: 0,
    controls: true,
    world: {
      people: [{ username: 'ann' }, { username: 'bob' }],
      bots: [{ username: 'helper', owner: 'ann', token }],
      servers: [
        {
          name: 'Workshop',
          owner: 'ann',
          members: ['bob'],
          bots: ['helper'],
          channels: ['general', 'random', 'news'].map((name) => ({ name })),
        },
      ],
    },
  })
  gateway = await Gateway.start(service.url)
  const { secret } = await person('ann').bots.setEventWebhook({ bot_id: botId(), url: 'http://127.0.0.1:9/events' })
  webhookSecret = secret!
})

afterAll(async () => {
  for (const bot of bots) bot.kill()
  await Promise.all(bots.map(({ ended }) => ended))
  await gateway?.[Symbol.asyncDispose]()
  await service?.close()
  rmSync(folder, { recursive: true, force: true })
})

const botId = () => service.world.bots['helper']!.id

test('a bot that runs: twelve incidents, one after the other', async () => {
  const bot = new Bot({}, '.botwright')
  const url = await bot.logged(/receiving event webhooks on (http:[^"\s]+)/)
  await person('ann').bots.setEventWebhook({ bot_id: botId(), url })
  await bot.logged(/(helper is ready)/)
  const state = join(folder, '.botwright')

  // A handler fails for each person. The build has no sources, and the error has their line.
  for (const who of ['ann', 'bob']) await says(who, '/sum 1 2')
  const failing = await bot.shows(
    'handler_failing',
    /^commands\/sum\.ts fails: 2 of 2 runs .* for 2 people; .* commands\/sum\.ts:5$/,
  )
  expect(failing.fix).toContain('Fix the line that the error names')
  const { last } = (await bot.inControlRoom('handler_failing')).errors!
  expect(last).toMatchObject({ message: 'no sum of 1 and 2', line: 'commands/sum.ts:5' })
  expect(bot.output).toContain('commands/sum.ts:5: no sum of 1 and 2')

  // A value in the state that no code can read.
  const { id: user_id } = service.world.people['bob']!
  await writeState(state, botId(), { name: 'scores', scope: 'user', owner: { user_id }, version: 9, value: 'many' })
  await says('bob', '/score', 'random')
  const poisoned = await bot.shows('handler_failing', /^commands\/score\.ts fails: 1 of 1 run/)
  expect(poisoned.fix).toContain('framework state get')
  expect(bot.output).toMatch(/the value of bob .* was written by a newer version of the bot \(9; this one is 1\)/)
  expect(await framework('state', 'get', 'scores', '--user', user_id)).toContain('"many"')

  // The owner has created another secret for event webhooks.
  await person('ann').bots.newEventWebhookSecret({ bot_id: botId() })
  await says('ann', 'hello', 'random')
  expect((await bot.shows('webhook_secret', /signature of 1 event webhook does not match/)).fix).toContain(
    'into BOT_WEBHOOK_SECRET',
  )

  // The clock of the host is an hour behind the service.
  gateway.has({ aheadMs: 3_600_000 })
  expect((await bot.shows('clock_wrong', /^The clock of this host is 36\d\d s behind the service$/)).fix).toContain(
    'NTP',
  )
  gateway.has()
  await says('ann', 'what time is it?', 'random')
  await bot.recovers('clock_wrong')

  // A network that shows its own page, and certificates.
  gateway.has({ html: true })
  expect((await bot.shows('service_unreachable', /a page of HTML/)).fix).toContain('BOT_BASE_URL')
  gateway.has({ certificate: 'expired' })
  expect((await bot.shows('service_unreachable', /CERT_HAS_EXPIRED/)).fix).toContain('has expired: renew it')
  gateway.has({ certificate: 'otherHost' })
  expect((await bot.shows('service_unreachable', /ALTNAME_INVALID/)).fix).toContain('for another host name')
  gateway.has()
  await says('ann', 'is anyone there?', 'random')
  await bot.recovers('service_unreachable')

  // Another program has locked the journal.
  const lock = openDatabase(join(state, 'journal.db'))
  lock.exec('BEGIN EXCLUSIVE')
  await says('ann', 'hello', 'random')
  expect((await bot.shows('journal_failing', /locked/)).fix).toMatch(/^End the other program/)
  lock.exec('ROLLBACK')
  lock.close()
  await bot.recovers('journal_failing')

  // Another program has locked the state.
  const stateLock = openDatabase(join(state, 'state.db'))
  stateLock.exec('BEGIN EXCLUSIVE')
  await says('ann', '/score', 'random')
  const locked = await bot.shows(
    'handler_failing',
    /commands\/score\.ts:\d+: state\.db: another program has locked it$/,
  )
  expect(locked.fix).toBe('Close that program')
  expect(await framework('doctor')).toMatch(
    /✘ disk +state\.db: another program has locked it\n +→ close that program\n/,
  )
  stateLock.exec('ROLLBACK')
  stateLock.close()

  // The bot has lost a channel: the doctor compares with its last look.
  await expect.poll(() => framework('doctor')).toContain('the bot sees 3 channels')
  await person('ann').channels.delete({ channel_id: channel('news') })
  expect(await framework('doctor')).toContain('in the server "Workshop" the bot has lost the channel #news')

  // One file uses the whole message budget.
  await says('ann', '/spam', 'random')
  await bot.shows('budget_used_up', /commands\/spam\.ts sent the most messages/)

  // The token was replaced.
  await person('ann').bots.newToken({ bot_id: botId() })
  expect((await bot.shows('token_refused', /rejects the bot's token/)).fix).toContain('into BOT_TOKEN')
  expect(await bot.ended).toBe(77)
})

test('a bot that cannot start: a host that DNS does not know', async () => {
  const bot = new Bot({ BOT_BASE_URL: 'https://no-such-host.invalid/v1' }, 'other-state')
  const { fix } = await bot.shows('starting', /^The bot is starting: .*(?:ENOTFOUND|EAI_AGAIN)/)
  expect(fix).toContain('check the host name in BOT_BASE_URL')
})

test('the tools for an incident are in a production install', async () => {
  // The image of docker.md has none.
  rmSync(join(folder, 'package.json'))
  const doctor = JSON.parse(await framework('doctor', '--json', '--state', 'new-state')) as { findings: object[] }
  expect(doctor.findings).toContainEqual({ state: 'ok', subject: 'folder', fact: 'the build in dist has 4 handlers' })
  expect(await framework('info')).toMatch(/command +3\n/)
  expect(await framework('docs', 'alerts')).toContain('# Alerts')
  // An earlier incident may have set an event aside, which explain shows.
  for (const command of ['events', 'explain'])
    expect(await framework(command, '--state', 'new-state')).toContain('record: true')
  expect(await framework('requests', '--state', 'new-state')).toContain('has run with this folder')
  expect(await framework('check')).toContain('framework check needs @botwright/dev')
})
