import { captureIo } from '@botwright/framework/start'
import { expect, test } from 'vitest'
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
  ['store data', 'framework/state'],
  ['save data per user', 'framework/state'],
  ['use my own database', 'framework/resources'],
  ['native packages', 'framework/production'],
  ['bot not responding', 'site/errors'],
  ['bot does not answer', 'site/errors'],
  ['button does nothing', 'site/errors'],
  ['This interaction failed', 'site/errors'],
  ['run in production', 'framework/production'],
  ['docker', 'site/docker'],
  ['systemd', 'site/systemd'],
  ['several instances', 'framework/cluster'],
  ['what happens on crash', 'site/survives'],
  ['what survives a restart', 'site/survives'],
  ['which feature do I use', 'site/choose'],
  ['write tests', 'testing/testing'],
  ['test a button', 'testing/testing'],
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
  ['http endpoint', 'framework/routes'],
  ['receive a webhook', 'framework/routes'],
  ['webhook from GitHub', 'framework/routes'],
  ['environment variables', 'framework/environment'],
  ['token', 'framework/environment'],
  ['hot reload', 'dev/hot-reload'],
  ['debugger', 'dev/command-line'],
  ['logs', 'framework/production'],
  ['metrics', 'framework/production'],
  ['migrate from discord.js', 'site/from-discord-js'],
  ['translate', 'languages/languages'],
  ['images', 'framework/embeds'],
  ['error reporting sentry', 'framework/failures'],
  ['upgrade', 'site/upgrading'],
  ['files in the build', 'framework/production'],
  ['bot ignores bots', 'framework/guards'],
])('"%s" finds the page %s first', (question, page) => {
  expect(searchDocs(question)[0]?.page).toBe(page)
})
