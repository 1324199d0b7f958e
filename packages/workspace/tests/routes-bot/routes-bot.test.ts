import { startTestBot } from '@botwright/testing'
import { expect, test } from 'vitest'

// The bot of packages/framework/docs/routes.md.

const start = () =>
  startTestBot(new URL('.', import.meta.url), {
    env: ({ servers }) => ({
      GITHUB_SECRET: 'secret-of-github',
      ALERT_TOKEN: 'token-of-alerts',
      RELEASES: servers['Workshop']!.channels['random']!,
    }),
  })

test('announces a release once', async () => {
  await using chat = await start()
  const body = {
    action: 'published',
    release: { name: 'v1', tag_name: '1', html_url: 'https://github.com/a/b/releases/v1' },
  }
  const headers = { 'x-github-delivery': '72d3162e' }
  const response = await chat.http.post('/github', body, { headers })
  expect(response.status).toBe(202)
  await chat.http.post('/github', body, { headers })
  const posts = await chat.person('ann').in('random').sees()
  expect(posts.map(({ content }) => content)).toEqual(['**v1** is out: https://github.com/a/b/releases/v1'])
})

test('accepts the ping that GitHub sends for a new webhook, and releases without a name', async () => {
  await using chat = await start()
  const ping = { zen: 'Keep it logically awesome.', hook_id: 1, repository: { full_name: 'a/b' } }
  expect((await chat.http.post('/github', ping)).status).toBe(202)
  const release = { name: null, tag_name: 'v2', html_url: 'https://github.com/a/b/releases/v2' }
  await chat.http.post('/github', { action: 'published', release })
  const posts = await chat.person('ann').in('random').sees()
  expect(posts.map(({ content }) => content)).toEqual(['**v2** is out: https://github.com/a/b/releases/v2'])
})

test('rejects a forged request', async () => {
  await using chat = await start()
  const headers = { 'x-hub-signature-256': 'sha256=00' }
  expect((await chat.http.post('/github', { action: 'published' }, { headers })).status).toBe(401)
})

test('answers a body that does not fit with the fields that are wrong', async () => {
  await using chat = await start()
  const response = await chat.http.post('/github', { action: 'published', release: 'v1' })
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject({ issues: [{ path: ['release'] }] })
})

test('a release that cannot be announced is an error of the test', async () => {
  await using chat = await start()
  await chat.faults({ endpoint: 'messages.create', status: 500 })
  const body = {
    action: 'published',
    release: { name: 'v1', tag_name: '1', html_url: 'https://github.com/a/b/releases/v1' },
  }
  await expect(chat.http.post('/github', body)).rejects.toThrow('messages.create')
})

test('posts the alerts of a team after a failure, in order', async () => {
  await using chat = await start()
  const ann = chat.person('ann').in('random')
  const posts = async () => (await ann.sees()).map(({ content }) => content)
  await chat.faults({ endpoint: 'messages.create', status: 500 })
  await chat.http.post('/red/alert', { text: 'disk full' })
  await chat.http.post('/red/alert', { text: 'disk fine' })
  await chat.http.post('/blue/alert', { text: 'disk full' })
  expect(await posts()).toEqual(['🚨 blue: disk full'])
  await chat.clock.advance({ seconds: 10 })
  expect(await posts()).toEqual(['🚨 blue: disk full', '🚨 red: disk full', '🚨 red: disk fine'])
})

test('accepts no request while it is stopped', async () => {
  await using chat = await start()
  await chat.restartBot({
    after: '1m',
    meanwhile: async () => expect((await chat.http.get('/status')).status).toBe(503),
  })
  expect(await (await chat.http.get('/status')).json()).toMatchObject({ bot: chat.bot.username })
})
