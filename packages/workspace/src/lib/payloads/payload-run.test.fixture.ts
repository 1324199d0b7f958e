import type { Service } from '@botwright/service'
import type { Page } from 'playwright-core'

const token = 'token-of-the-payload-bot'
/** Without content rules, which would refuse the payloads. */
export const payloadWorld = {
  people: [{ username: 'ann' }, { username: 'bob' }],
  bots: [{ username: 'mallory', owner: 'bob', token }],
  servers: [
    {
      name: 'Workshop',
      owner: 'ann',
      members: ['bob'],
      bots: ['mallory'],
      categories: [{ name: 'Talk' }],
      channels: [{ name: 'general' }, { name: 'other', category: 'Talk' }],
    },
  ],
  content_rules: { words: [], hosts: [] },
}

/** Searches the page for anything that a payload must not cause. The result is a list of faults. */
const inspection = `(() => {
  const faults = []
  if (globalThis.pwned !== undefined) faults.push('a script ran')
  const bad = 'script:not([src^="/assets/"]), iframe, object, embed, base, form[action], link:not([rel=icon]):not([href^="/assets/"]), style, template, video, audio, math, foreignObject'
  for (const each of document.querySelectorAll(bad)) faults.push('an element: ' + each.outerHTML.slice(0, 200))
  for (const each of document.body.querySelectorAll('*')) {
    for (const { name, value } of each.attributes) {
      if (name.startsWith('on') || name === 'srcdoc' || name === 'srcset' || name === 'xlink:href') faults.push('an attribute: ' + name)
      if (name === 'style' && /url\\(|expression|import/i.test(value)) faults.push('a style: ' + value)
    }
  }
  for (const each of document.querySelectorAll('.room a, dialog a')) {
    if (!/^https?:$/.test(each.protocol)) faults.push('a link: ' + each.href)
    if (each.target !== '_blank' || !each.relList.contains('noopener')) faults.push('a link that keeps its opener: ' + each.href)
  }
  for (const each of document.images) {
    if (new URL(each.src).origin !== location.origin) faults.push('a picture from elsewhere: ' + each.src)
  }
  return faults
})()`

interface PayloadRun {
  payloads: number
  /** How often the service refused the links or images of a batch. */
  refused: number
  faults: string[]
}

/** Code points, as the service counts them. */
const cut = (text: string, characters: number): string => Array.from(text).slice(0, characters).join('')
/** Removes NUL and half surrogate pairs, for which the service refuses whole messages. */
const storable = (text: string): string => text.replaceAll('\0', '').replaceAll(/\p{Surrogate}/gu, '')
const PER_BATCH = 14
const LONGEST = 380

/** Distributes a batch over every text of a bot that the page shows. */
function messageOf(batch: readonly string[], marker: string, allowed: 'all' | 'links' | 'texts') {
  const at = (index: number) => cut(batch[index % batch.length] ?? '', LONGEST) || '-'
  const [first = '', second = ''] = batch
  return {
    content: cut([at(0), at(1), at(2), at(3)].join('\n\n'), 1900),
    embeds: [
      {
        author: { name: marker },
        title: at(4),
        description: [at(5), at(6)].join('\n'),
        fields: [
          { name: at(7), value: at(8), inline: true },
          { name: at(9), value: at(10) },
        ],
        footer: { text: at(11) },
        ...(allowed !== 'texts' && { url: first }),
        ...(allowed === 'all' && { thumbnail: { url: second }, image: { url: first } }),
      },
      { title: at(12), description: at(13), ...(allowed !== 'texts' && { url: second }) },
    ],
    components: [
      { type: 'row', components: [{ type: 'button', style: 'primary', label: cut(at(12), 80), custom_id: 'x' }] },
    ],
  }
}

/** Shows every payload to a person in a browser, as message, card, button and name. `page` shows the sign-in screen. */
export async function runPayloads(service: Service, page: Page, payloads: readonly string[]): Promise<PayloadRun> {
  const run: PayloadRun = { payloads: 0, refused: 0, faults: [] }
  let shown: readonly string[] = []
  const fault = (text: string) => run.faults.push(`${text} after ${JSON.stringify(shown)}`)
  page.on('dialog', (dialog) => {
    fault(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', () => fault('a window opened'))
  page.on('pageerror', (error) => fault(`an exception: ${error.message}`))
  page.on('console', (line) => {
    if (/content security|trusted ?type/i.test(line.text()))
      fault(`the content security policy blocked it: ${line.text()}`)
  })
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame() || new URL(frame.url()).origin !== service.url)
      fault(`a frame navigated to ${frame.url()}`)
  })
  await page.route(
    (url) => url.origin !== service.url && url.protocol !== 'data:' && url.protocol !== 'blob:',
    (route) => {
      fault(`a request to ${route.request().url()}`)
      return route.abort()
    },
  )

  const call = async (authorization: string, method: string, path: string, body: unknown) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const answer = await fetch(service.url + path, { method, headers, body: JSON.stringify(body) })
    if (answer.status >= 500) fault(`${method} ${path}: ${answer.status}`)
    return { ok: answer.ok, body: (await answer.json()) as Record<string, string> }
  }
  const bot = (method: string, path: string, body: unknown) => call(`Bot ${token}`, method, `/v1${path}`, body)
  const person = (name: string, method: string, path: string, body: unknown) =>
    call(`Person ${service.world.people[name]!.token}`, method, `/people/v1${path}`, body)
  const { general, other } = service.world.servers['Workshop']!.channels
  const messages = `/channels/${general}/messages`
  const posted = await bot('POST', messages, { content: 'here I am' })
  const message = `${messages}/${posted.body['id']}`
  await person('bob', 'POST', messages, { content: 'an answer', reply_to: posted.body['id'] })

  await page.goto(service.page)
  await page.getByRole('button', { name: 'ann', exact: true }).click()
  await page.getByRole('log').getByText('here I am').first().waitFor()
  for (let from = 0; from < payloads.length; from += PER_BATCH) {
    // The service limits the rate of changes to a message and a profile.
    service.clock.advance(60_000)
    shown = payloads.slice(from, from + PER_BATCH).map(storable)
    const [name = '', second = ''] = shown
    const marker = `batch ${from}`
    await bot('PATCH', '/me', { display_name: cut(name, 32) })
    await bot('PUT', '/me/status', { status: 'online', activity: cut(second, 60) })
    await person('bob', 'PATCH', '/me', { display_name: cut(second, 32), bio: cut(name, 190) })
    await person('ann', 'PATCH', `/channels/${other}`, { name: cut(name, 100) })
    // The service refuses most links and images; the accepted ones must be harmless in the page.
    for (const allowed of ['all', 'links', 'texts'] as const) {
      const answer = await bot('PATCH', message, messageOf(shown, marker, allowed))
      if (answer.ok) break
      if (allowed === 'texts') fault(`the service refused: ${answer.body['error']}`)
      else run.refused++
    }
    await page.getByRole('log').getByText(marker, { exact: true }).waitFor()
    for (const each of await page.evaluate<string[]>(inspection)) fault(each)
    run.payloads += shown.length
  }
  return run
}
