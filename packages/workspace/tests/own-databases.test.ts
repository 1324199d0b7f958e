// @module-tag all/databases
// The bots of the guide "Your own database". Their packages come from npm, into a temporary folder.

import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { defaultWorld, startService } from '@botwright/service'
import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'
import { findPostgres, NO_POSTGRES, startPostgres, temporary } from './databases.test.fixture.ts'

const run = promisify(execFile)
const repository = fileURLToPath(new URL('../../../', import.meta.url))

const framework = join(repository, 'packages/framework/bin/framework.cjs')

/** A copy of a bot with the packages that its package.json names, whose types are checked. */
async function installed(name: string): Promise<string> {
  const folder = temporary(name)
  cpSync(fileURLToPath(new URL(`fixtures/${name}/`, import.meta.url)), folder, { recursive: true })
  // The packages of this repository are linked below.
  const { devDependencies: _, ...manifest } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as object & {
    devDependencies: unknown
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder })
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@botwright'))
  for (const one of ['framework', 'dev', 'protocol'])
    symlinkSync(join(repository, 'packages', one), join(modules, '@botwright', one))
  symlinkSync(join(repository, 'node_modules/zod'), join(modules, 'zod'))
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2023', strict: true, noEmit: true, skipLibCheck: true },
    ...{ allowImportingTsExtensions: true, types: [] },
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.', '.framework'] }))
  await run(process.execPath, [framework, 'check'], { cwd: folder, env: { ...process.env, NO_COLOR: '1' } }).catch(
    ({ stdout }: { stdout: string }) => expect.fail(stdout),
  )
  return folder
}

test('Drizzle on SQLite keeps a leaderboard, also after a restart', async () => {
  const folder = await installed('drizzle-bot')
  await using chat = await startTestBot(folder, { env: { DB: `file:${join(folder, 'scores.db')}` } })
  const [ann, bob, carol] = [chat.person('ann'), chat.person('bob'), chat.person('carol')]
  expect(await ann.says('/top')).toHaveEmbed({ description: 'Nobody has points yet.' })
  expect(await ann.says('/win 5')).toHaveReplied('You have 5 points.')
  await bob.says('/win 7')
  await carol.says('/win')
  await chat.restartBot()
  expect(await ann.says('/win 3')).toHaveReplied('You have 8 points.')
  const shown = await ann.says('/top')
  expect(shown).toHaveEmbed({ title: 'Leaderboard', description: /^1\. <@.*>: 8\n2\. <@.*>: 7$/ })
  const { updates } = await ann.clicks('▶', shown)
  expect(updates[0]?.embeds).toMatchObject([{ description: expect.stringMatching(/^3\. <@.*>: 1$/) as string }])
})

test('a build of the bot migrates a new database once, with several workers', async () => {
  const folder = await installed('drizzle-bot')
  await run(process.execPath, [framework, 'build'], { cwd: folder })
  rmSync(join(folder, 'drizzle'), { recursive: true })
  await using service = await startService({ port: 0, world: defaultWorld('scorer', 'token-of-the-scorer') })
  const bot = spawn(process.execPath, [framework, 'start', '--workers', '4'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], BOT_TOKEN: 'token-of-the-scorer', BOT_BASE_URL: service.base_url },
  })
  const ended = new Promise((resolve) => bot.once('exit', resolve))
  let output = ''
  for (const stream of [bot.stdout, bot.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()))
  try {
    await expect.poll(() => output).toMatch(/is ready|failed/)
    expect(output).not.toContain('failed')
    expect(readdirSync(join(folder, '.botwright'))).toContain('scores.db')
  } finally {
    bot.kill('SIGTERM')
    await ended
  }
})

const postgres = findPostgres()
if (postgres === undefined) console.error(`\n!!! SKIPPED: ${NO_POSTGRES}\n`)

test.skipIf(postgres === undefined)('a pool of PostgreSQL survives the loss of its connections', async () => {
  const DATABASE_URL = await startPostgres(postgres!)
  await using chat = await startTestBot(await installed('pg-bot'), { env: { DATABASE_URL } })
  const ann = chat.person('ann')
  expect(await ann.says('/win 5')).toHaveReplied('You have 5 points.')
  await run(join(postgres!, 'psql'), [
    DATABASE_URL,
    '-c',
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = current_user',
  ])
  await expect.poll(() => chat.log.map(({ msg }) => msg)).toContain('a connection to the database has ended')
  expect(await ann.says('/win 2')).toHaveReplied('You have 7 points.')
  await chat.restartBot()
  expect(await ann.says('/win')).toHaveReplied('You have 8 points.')
})
