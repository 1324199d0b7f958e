/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectRefused, type Spec, startSpec } from '../spec/rig.test.fixture.ts'

let chat: Spec
beforeAll(async () => void (chat = await startSpec()))
afterAll(() => chat.close())

/** JSON of nested arrays, `depth` levels deep. */
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const auth = 'Bot token-of-helper'
const post = (raw: string) => chat.call('POST', `/v1${chat.messages()}`, { auth, raw })
const stored = async () => (await chat.helper('GET', chat.messages())).body.messages.length as number

describe('deep JSON', () => {
  it('is refused beyond 64 levels before anything is stored', async () => {
    const before = await stored()
    for (const depth of [64, 65, 10_000, 400_000]) {
      expectRefused(await post(`{"content":"deep","x":${nested(depth)}}`), 400, 'nested deeper than 64 levels')
    }
    const mixed = `${'[{"a":'.repeat(32)}0${'}]'.repeat(32)}`
    expectRefused(await post(`{"content":"deep","x":${mixed}}`), 400, 'nested deeper than 64 levels')
    expect(await stored()).toBe(before)
  })

  it('is accepted up to 64 levels', async () => {
    expect((await post(`{"content":"64 levels","x":${nested(63)}}`)).status).toBe(200)
  })

  it('does not count brackets inside strings, even after escaped quotes', async () => {
    const content = `${'['.repeat(100)}"\\${'{'.repeat(100)}`
    const answer = await post(JSON.stringify({ content }))
    expect([answer.status, answer.body.content]).toEqual([200, content])
  })

  it('does not count closed levels', async () => {
    expect((await post(`{"content":"wide","x":[${Array(500).fill('[{}]').join()}]}`)).status).toBe(200)
  })
})

describe('texts that cannot be stored unchanged', () => {
  it.each([
    ['content', { content: 'a\0b' }],
    ['content', { content: '\ud800' }],
    ['content', { content: 'x\udfffy' }],
    ['embeds[0].fields[0].value', { embeds: [{ fields: [{ name: 'x', value: '\0' }] }] }],
    ['embeds[0].title', { embeds: [{ title: '\ud83d' }] }],
    ['components[0].components[0].custom_id', row({ custom_id: 'a\0' })],
  ])('are refused in %s: NUL and lone surrogates', async (field, body) => {
    expectRefused(await post(JSON.stringify(body)), 400, new RegExp(`^${field.replace(/[[\]]/g, '\\$&')}: must not`))
  })

  it('do not include whole pairs, escaped or not', async () => {
    const answer = await post('{"content":"\\ud83d\\ude42 🙂"}')
    expect([answer.status, answer.body.content]).toEqual([200, '🙂 🙂'])
  })

  it('are refused in forms, too', async () => {
    const answer = await postForm('a\0b')
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: expect.stringMatching(/^content: must not contain the character NUL/) },
    ])
  })
})

describe('a form', () => {
  it('has the line breaks of JSON, although its encoding writes each as two characters', async () => {
    const text = 'one\ntwo\n\nthree'
    const answer = await postForm(text)
    expect([answer.status, ((await answer.json()) as { content: string }).content]).toEqual([200, text])
    const longest = 'x\n'.repeat(999) + 'xx'
    expect((await postForm(longest)).status).toBe(200)
  })
})

function postForm(content: string): Promise<Response> {
  const form = new FormData()
  form.append('content', content)
  return fetch(`${chat.service.url}/people/v1${chat.messages()}`, {
    method: 'POST',
    headers: { authorization: `Person ${chat.service.world.people['ann']!.token}` },
    body: form,
  })
}

function row(button: object) {
  return {
    content: 'x',
    components: [{ type: 'row', components: [{ type: 'button', style: 'primary', label: 'x', ...button }] }],
  }
}

describe('the JSON of a channel webhook', () => {
  it.each(['application/json', 'multipart/form-data'])('has the same limits as %s', async (type) => {
    const { url } = (await chat.person('ann', 'POST', `${chat.channel('general')}/webhooks`, { name: type })).body
    for (const json of [`{"content":"deep","x":${nested(64)}}`, '{"content":"\\u0000"}']) {
      const form = new FormData()
      form.append('payload_json', json)
      const body = type === 'application/json' ? json : form
      const answer = await fetch(url as string, {
        method: 'POST',
        body,
        ...(typeof body === 'string' && { headers: { 'content-type': type } }),
      })
      expect([answer.status, await answer.json()]).toEqual([400, { code: 50035, message: expect.any(String) }])
    }
  })
})
