import { expect, test } from 'vitest'
import { captureIo } from '../../../program/program-io.ts'
import { runDocs } from './docs-command.ts'
import { docsPages, searchDocs, sectionsOf } from './docs.ts'

const textOf = (page: string): string => docsPages().find(({ name }) => name === page)!.text

test('no page of the documentation has a placeholder of the site', () => {
  const left = docsPages().flatMap(({ name, text }) =>
    [...text.matchAll(/^<.*$/gm)].map(([line]) => `${name}: ${line}`),
  )
  expect(left).toEqual([])
})

test('the pages contain what the placeholders stand for', () => {
  expect(textOf('site/limits')).toMatch(/^\| Messages .*30/im)
  expect(textOf('site/agents')).toMatch(/^````markdown\n# /m)
  expect(textOf('languages/languages')).toContain('| Key | English | German |')
  expect(textOf('site/start')).toContain('(Picture: ann types /ping, and the bot answers with a button.)')
})

function docs(question: string): string {
  const io = captureIo({ cwd: '/', env: {} })
  expect(runDocs({ question, json: false, io })).toBe(0)
  return io.stdout.text
}

test('a page is printed by its name, with or without its package', () => {
  const page = `${textOf('framework/durable')}\n`
  expect(docs('framework/durable')).toBe(page)
  expect(docs('durable')).toBe(page)
  expect(docs('Durable')).toBe(page)
})

test('page names differ without their package', () => {
  const names = docsPages().map(({ name }) => name.replace(/^.*\//, '').toLowerCase())
  expect(names.length).toBe(new Set(names).size)
})

test('the matches of a search name the command that prints the first one in full', () => {
  const [page] = docs('send a reminder').split('\n')
  expect(docs('send a reminder')).toMatch(new RegExp(`\n"framework docs ${page}" prints the whole page\n$`))
})

test('every question belongs to a section', () => {
  for (const page of docsPages()) {
    const found = sectionsOf(page).flatMap(({ questions }) => questions.split('\n').filter(Boolean))
    expect(found.sort()).toEqual(page.questions.map(({ question }) => question).sort())
  }
})

test.each([
  ['bot not responding', 'site/problems'],
  ['bot does not answer', 'site/problems'],
  ['button does nothing', 'site/problems'],
  ['This interaction failed', 'site/problems'],
  ['docker', 'site/docker'],
  ['systemd', 'site/systemd'],
  ['several instances', 'framework/cluster'],
  ['send a message to a channel', 'framework/sending'],
  ['direct message', 'framework/sending'],
  ['scheduled task', 'framework/tasks'],
  ['cron', 'framework/tasks'],
  ['remind someone later', 'framework/tasks'],
  ['wait for an answer', 'framework/conversations'],
  ['ask a question', 'framework/conversations'],
  ['wait for days', 'framework/durable'],
  ['permissions', 'framework/guards'],
  ['cooldown', 'framework/guards'],
  ['only for admins', 'framework/guards'],
  ['rate limit', 'site/limits'],
  ['slash command options', 'framework/arguments'],
  ['subcommands', 'framework/commands'],
  ['pagination', 'framework/buttons'],
  ['environment variables', 'framework/environment'],
  ['token', 'framework/environment'],
  ['hot reload', 'dev/hot-reload'],
  ['debugger', 'dev/command-line'],
  ['logs', 'framework/monitoring'],
  ['metrics', 'framework/monitoring'],
  ['migrate from discord.js', 'site/from-discord-js'],
  ['translate', 'languages/languages'],
  ['images', 'framework/embeds'],
  ['error reporting sentry', 'framework/failures'],
  ['upgrade', 'site/upgrading'],
  ['bot ignores bots', 'framework/guards'],
])('"%s" finds the page %s first', (question, page) => {
  expect(searchDocs(question)[0]?.page).toBe(page)
})

/** Ten ways, or more, to ask for each of the pages that most people look for. */
const ways: Record<string, string[]> = {
  'framework/state': [
    'store data',
    'save data per user',
    'save data',
    'persist data',
    'remember something about a user',
    'keep values after a restart',
    'database built in',
    'count how often someone did something',
    'key value store',
    'store settings of a server',
    'state',
    'leaderboard',
    'save points',
  ],
  'site/choose': [
    'which feature do I use',
    'reply or ask or button',
    'ask or durable',
    'task or durable',
    'durable or task',
    'when to use a durable handler',
    'reply, ask, buttons, durable, task',
    'difference between ask and durable',
    'choose a feature',
    'should I use ask or a button',
  ],
  'framework/production': [
    'deploy',
    'deploy the bot',
    'run in production',
    'go live',
    'host the bot on a server',
    'deploy my bot to a server',
    'put the bot into production',
    'how to deploy',
    'production',
    'run on a VPS',
    'exit codes',
  ],
  'site/survives': [
    'what happens on crash',
    'what survives a restart',
    'what survives a deployment',
    'what is lost when the process crashes',
    'machine is lost',
    'thread crashes',
    'what happens when the thread dies',
    'what survives what',
    'restart the bot without losing data',
    'does a button survive a deployment',
    'what happens on restart',
  ],
  'testing/testing': [
    'write tests',
    'test a button',
    'test',
    'test a command',
    'unit test',
    'how do I test my bot',
    'testing',
    'test with vitest',
    'integration test',
    'test a conversation',
    'mock the chat service',
    'advance the clock in a test',
  ],
  'framework/resources': [
    'use my own database',
    'my own database',
    'postgres',
    'connect to a database',
    'sqlite database',
    'open a connection pool',
    'prisma',
    'drizzle',
    'mysql',
    'redis client',
  ],
  'framework/files': [
    'native packages',
    'files in the build',
    'read a file',
    'ship files with the bot',
    'include assets',
    'files',
    'read files next to the code',
    'import a text file',
    'sharp',
    'better-sqlite3',
    'install scripts',
    'node modules with native code',
    'worker thread file',
    'copy files to dist',
    'assets folder',
    'path of a file in production',
  ],
  'framework/routes': [
    'http endpoint',
    'receive a webhook',
    'webhook from GitHub',
    'receive http requests',
    'add an endpoint',
    'rest api of my bot',
    'incoming webhook',
    'http server',
    'verify a signature',
    'expose an HTTP route',
    'routes',
  ],
  'framework/http': [
    'call another service',
    'fetch',
    'call an external api',
    'send a request to an api',
    'make an http request',
    'external http',
  ],
}

test.each(Object.entries(ways))('%s is found first, however it is asked for', (page, questions) => {
  expect(Object.fromEntries(questions.map((question) => [question, searchDocs(question)[0]?.page]))).toEqual(
    Object.fromEntries(questions.map((question) => [question, page])),
  )
})

test('a comment in code is not a heading', () => {
  const text =
    '# Page\n\n```sh\n# Installs it\nnpm i\n```\n\n## More\n\n````markdown\n```sh\n```\n# Own\n````\n\n### End'
  const found = sectionsOf({ name: 'a/page', title: 'Page', about: '', text, questions: [] })
  expect(found.map(({ heading }) => heading)).toEqual(['Page', 'More', 'End'])
  expect(found.map((section) => section.text).join('\n\n')).toBe(text)
  const headings = docsPages()
    .flatMap(sectionsOf)
    .map(({ heading }) => heading)
  expect(headings.filter((heading) => heading.startsWith('The final image'))).toEqual([])
})
