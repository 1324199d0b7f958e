import { errorStatuses, eventTypes, limits, webhookErrorCodes } from '@botwright/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readDocument } from '../http/serve-documents.ts'
import { startTest } from '../test-tools/driver.test.fixture.ts'
import { limitText } from './chapters.ts'
import { type ApiDocument, endpointsOf } from './document.ts'
import { html, prose } from './markup.ts'
import { anchorOf } from './operation.ts'

let chat: Awaited<ReturnType<typeof startTest>>
let document: ApiDocument
let page: string
beforeAll(async () => {
  chat = await startTest()
  document = JSON.parse(await readDocument('/developers/openapi.json')) as ApiDocument
  page = String((await chat.call('GET', '/developers/')).body)
})
afterAll(() => chat.close())

describe('the reference at /developers/', () => {
  it('shows every endpoint with its path, fields, permission and rate limit', () => {
    for (const endpoint of endpointsOf(document)) {
      const start = page.indexOf(`<article class="endpoint" id="${anchorOf(endpoint)}"`)
      expect([anchorOf(endpoint), start > 0]).toEqual([anchorOf(endpoint), true])
      const part = page.slice(start, page.indexOf('</article>', start))
      const { operation, method } = endpoint
      expect(part).toContain(`>${method}</span>`)
      for (const { name } of operation.parameters ?? []) expect(part).toContain(`<code>${name}</code>`)
      for (const status of Object.keys(operation.responses)) expect(part).toContain(`>${status}</span>`)
      if (operation['x-permission']) expect(part).toContain(operation['x-permission'])
      for (const { requests, seconds } of operation['x-rate-limit'] ?? []) {
        expect(part.replace(/\s+/g, ' ')).toContain(`At most ${requests} in ${seconds} s`)
      }
    }
  })

  it('shows every event, error, limit and object', () => {
    for (const type of eventTypes) expect(page).toContain(`id="event-${type}"`)
    for (const status of Object.keys(errorStatuses)) expect(page).toContain(`>${status}</span>`)
    for (const code of Object.keys(webhookErrorCodes)) expect(page).toContain(`<code>${code}</code>`)
    for (const row of Object.values(limits)) expect(page).toContain(`<td>${limitText(row)}</td>`)
    for (const name of Object.keys(document.components.schemas)) expect(page).toContain(`id="schema-${name}"`)
  })

  it('has a target for every internal link, and unique ids', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toHaveLength(new Set(ids).size)
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target)
    expect(page).not.toMatch(/undefined|\[object|NaN/)
  })

  it('runs no scripts and loads nothing from other origins', async () => {
    const { headers } = await chat.call('GET', '/developers/')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'self'")
    expect(page).not.toMatch(/<script|style=| on\w+=|src=/)
    const style = await chat.call('GET', '/assets/reference.css')
    expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
    const moved = await fetch(`${chat.service.url}/developers`, { redirect: 'manual' })
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/developers/'])
  })

  it('describes limits in words', () => {
    expect(limitText(limits.messages)).toBe('30 in 1 minute per bot')
    expect(limitText(limits.interaction)).toBe('answer: 3 seconds, open: 15 minutes, 10 answers')
    expect(limitText(limits.button_custom_id)).toBe('1 to 100 characters')
    expect(limitText(limits.members_page)).toBe('1 to 500, 200 by default')
    expect(limitText(limits.avatar)).toBe('8 MB')
  })

  it('escapes texts', () => {
    expect(html`<p>${'<b>"&\''}${null}${false}${[1, html`<i></i>`]}</p>`.markup).toBe(
      '<p>&lt;b&gt;&quot;&amp;&#39;1<i></i></p>',
    )
    expect(prose('a `<b>`').markup).toBe('a <code>&lt;b&gt;</code>')
  })
})
