// @module-tag all/browser
/// <reference lib="dom" />
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Service, startService } from '@botwright/service'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { abusedWorld } from '../fuzz/abused-service.test.fixture.ts'

const endpoint = inject('chromium')

interface Attempt {
  method: string
  path: string
  how: 'fetch with a token' | 'fetch without preflight' | 'body without a type' | 'form' | 'image' | 'event source'
}
interface Outcome extends Attempt {
  /** Whether the page could read a response. */
  readable: boolean
}

const ID = '00000000-0000-4000-8000-000000000001'

/** Every route outside the bot interface and the channel webhooks, from the service's generated documents. */
async function routesOf(service: Service, upload: string): Promise<{ method: string; path: string }[]> {
  const get = async <T>(path: string) => (await (await fetch(service.url + path)).json()) as T
  const people = await get<{ paths: Record<string, object> }>('/people/openapi.json')
  const controls = await get<{ calls: string[] }>('/controls/v1')
  const routes = Object.entries(people.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path: `/people/v1${path.replace(/\{emoji\}/g, '%F0%9F%91%8D').replace(/\{\w+\}/g, ID)}`,
    })),
  )
  const controlled = controls.calls.map((call) => {
    const [method, path] = call.split(' ') as [string, string]
    return { method, path }
  })
  return [...routes, ...controlled, { method: 'GET', path: '/controls/v1' }, { method: 'GET', path: upload }]
}

/** All requests that a page can send, with a preflight and in every way that needs none. */
const attemptsOn = ({ method, path }: { method: string; path: string }): Attempt[] => [
  { method, path, how: 'fetch with a token' },
  ...(method === 'GET'
    ? (['fetch without preflight', 'image', 'event source'] as const).map((how) => ({ method, path, how }))
    : []),
  ...(method === 'POST'
    ? (['fetch without preflight', 'body without a type', 'form'] as const).map((how) => ({ method, path, how }))
    : []),
]

/** Runs in the page. */
async function attack({ url, attempts }: { url: string; attempts: Attempt[] }): Promise<Outcome[]> {
  const limit = () => AbortSignal.timeout(5000)
  const body = JSON.stringify({ username: 'mallory', name: 'mallory', advance_seconds: 1 })
  const send = async ({ method, path, how }: Attempt): Promise<boolean> => {
    const target = `${url}${path}`
    switch (how) {
      case 'fetch with a token': {
        const headers = { authorization: 'Person token-of-ann', 'content-type': 'application/json' }
        const init: RequestInit = { method, headers, signal: limit(), ...(method !== 'GET' && { body }) }
        return fetch(target, init).then(
          () => true,
          () => false,
        )
      }
      case 'fetch without preflight':
      case 'body without a type': {
        const sent = how === 'body without a type' ? new Blob([body]) : body
        const init: RequestInit = { method, mode: 'no-cors', signal: limit(), ...(method !== 'GET' && { body: sent }) }
        const answer = await fetch(target, init).catch(() => undefined)
        return answer !== undefined && answer.type !== 'opaque'
      }
      case 'form': {
        const frame = document.createElement('iframe')
        frame.name = `frame-${Math.random()}`
        const form = document.createElement('form')
        const field = document.createElement('input')
        Object.assign(form, { method: 'POST', action: target, target: frame.name, enctype: 'text/plain' })
        // Sent as text/plain, this is a complete JSON document.
        Object.assign(field, { name: '{"username":"mallory","x":"', value: '"}' })
        form.append(field)
        document.body.append(frame, form)
        const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
        form.submit()
        await loaded
        frame.remove()
        return false
      }
      case 'image': {
        const image = new Image()
        return new Promise((resolve) => {
          image.onload = () => resolve(true)
          image.onerror = () => resolve(false)
          image.src = target
        })
      }
      case 'event source': {
        const source = new EventSource(`${target}?token=token-of-ann`)
        return new Promise((resolve) => {
          const end = (readable: boolean) => {
            source.close()
            resolve(readable)
          }
          source.onopen = () => end(true)
          source.onerror = () => end(false)
        })
      }
    }
  }
  const outcomes: Outcome[] = []
  for (const attempt of attempts) outcomes.push({ ...attempt, readable: await send(attempt) })
  return outcomes
}

describe.skipIf(endpoint === undefined)('a web page of another origin', () => {
  let service: Service
  let browser: Browser
  let upload: string
  let attempts: Attempt[]
  const foreign = createServer((_, answer) =>
    answer.setHeader('content-type', 'text/html').end('<!doctype html><body>'),
  )

  beforeAll(async () => {
    service = await startService({ port: 0, world: abusedWorld, controls: true })
    browser = await chromium.connect(endpoint!)
    await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve))
    const picture = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==',
      'base64',
    )
    const sent = await fetch(`${service.url}/people/v1/me/avatar`, {
      method: 'PUT',
      headers: { authorization: 'Person token-of-ann', 'content-type': 'image/png' },
      body: picture,
    })
    upload = new URL(((await sent.json()) as { avatar_url: string }).avatar_url).pathname
    attempts = (await routesOf(service, upload)).flatMap(attemptsOn)
  })
  afterAll(async () => {
    foreign.close()
    await browser.close()
    await service.close()
  })

  /** The results for a page at an address: the outcomes, and the statuses of all responses. */
  async function attackFrom(address: string, tried: Attempt[]) {
    const page: Page = await browser.newPage()
    await page.goto(address)
    const statuses: string[] = []
    page.on('response', (answer) => {
      if (answer.url().startsWith(service.url))
        statuses.push(`${answer.status()} ${answer.request().method()} ${answer.url()}`)
    })
    const outcomes = await page.evaluate(attack, { url: service.url, attempts: tried })
    await page.close()
    return { outcomes, statuses }
  }

  const names = async () => {
    const answer = await fetch(`${service.url}/people/v1/sessions`)
    return ((await answer.json()) as { people: { username: string }[] }).people.map(({ username }) => username)
  }

  it.each([
    ['on another site', 'localhost'],
    ['on another port of this machine', '127.0.0.1'],
  ])('%s reaches no route of the people, the stream, the uploads and the controls', async (_, host) => {
    const { port } = foreign.address() as AddressInfo
    const before = await names()
    const { outcomes, statuses } = await attackFrom(`http://${host}:${port}/`, attempts)
    expect(outcomes.length).toBe(attempts.length)
    expect(outcomes.filter(({ readable }) => readable)).toEqual([])
    expect(statuses.length).toBeGreaterThan(outcomes.length / 3)
    expect(statuses.filter((line) => !line.startsWith('403 '))).toEqual([])
    expect(await names()).toEqual(before)
  })

  it('cannot call the service by submitting a form', async () => {
    const page = await browser.newPage()
    await page.goto(`http://localhost:${(foreign.address() as AddressInfo).port}/`)
    const answered = page.waitForResponse(`${service.url}/controls/v1/reset`)
    await page.evaluate((action) => {
      const form = document.createElement('form')
      Object.assign(form, { method: 'POST', action })
      document.body.append(form)
      form.submit()
    }, `${service.url}/controls/v1/reset`)
    expect((await answered).status()).toBe(403)
    await page.close()
  })

  it('can call the bot interface, which is open to every origin', async () => {
    const page = await browser.newPage()
    await page.goto(`http://localhost:${(foreign.address() as AddressInfo).port}/`)
    const status = await page.evaluate(async (url) => {
      const answer = await fetch(`${url}/v1/me`, { headers: { authorization: 'Bot token-of-helper' } })
      return answer.status
    }, service.url)
    expect(status).toBe(200)
    await page.close()
  })

  it('is refused only for its origin: the same attempts succeed from the page of the service', async () => {
    const own = attempts.filter(
      ({ path, how }) => how !== 'form' && [upload, '/people/v1/me', '/people/v1/stream'].includes(path),
    )
    const { outcomes } = await attackFrom(service.page, own)
    const readable = outcomes.filter((each) => each.readable).map(({ method, path, how }) => `${method} ${path} ${how}`)
    expect(readable).toEqual(
      expect.arrayContaining([
        'GET /people/v1/me fetch with a token',
        `GET ${upload} image`,
        'GET /people/v1/stream event source',
      ]),
    )
  })
})
