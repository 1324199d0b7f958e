// Rules for the streams, approvals, pages and models of the third bot.

import { wellFormed } from '@botwright/protocol/facts'
import type { Rule, SimFacts } from '@botwright/testing/simulation'
import { byNumber, forgets, onlyCrashes, values } from './bot-facts.test.fixture.ts'

/** A message that waits for the message budget has passed its guard long before. */
const ROLE_MS = 150_000
const HARMLESS = ['role', 'ban', 'reload', 'webhook'] as const
const ANSWER_MS = 3000
const LONGEST = 2000
const MINUTE_MS = 60_000

/** A text without what a stream adds and repeats: the marks of Markdown, and the language of a code block. */
const plain = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]|q/gu, '')

interface Body {
  content?: string
  components?: { components: { custom_id?: string; label?: string; disabled?: boolean }[] }[] | null
}

/** The bodies that the service has accepted, by their messages. */
function* shown({ record }: SimFacts): Iterable<{ id: string; body: Body; atMs: number }> {
  for (const { method, path, body, text = '', status = 0, answeredAtMs: atMs } of record.requests) {
    if (status >= 300 || body === '' || !/\/messages(\/|$)|\/callback/.test(path)) continue
    const sent = JSON.parse(body) as Body
    if (method === 'PATCH') yield { id: path.split('/').at(-1)!, body: sent, atMs }
    const { message = JSON.parse(text) as { id?: string } } = JSON.parse(text) as { message?: { id?: string } }
    if (method === 'POST' && message?.id !== undefined) yield { id: message.id, body: sent, atMs }
  }
}

const stories: readonly Rule[] = [
  {
    name: 'the service accepts each message of a stream',
    why: 'a text must not end in its middle because a part of it is too long or empty',
    *check({ record }) {
      for (const { body, status = 0, text } of record.requests)
        // A person has deleted the message to which it replies.
        if ((status === 400 && !text?.includes('reply_to')) || status === 413)
          yield `the service refused ${body.slice(0, 200)}: ${text}`
      // The client checks a message before it sends it.
      for (const { text, level } of record.lines)
        if (level === 'error' && text.includes('commands/tell.ts') && text.includes('ERR_INVALID_REQUEST'))
          yield text.slice(0, 300)
    },
  },
  {
    name: 'a stream shows beginnings of its text',
    why: 'people read it while it is written',
    *check(facts) {
      const { people, record } = facts
      const whole = new Map<string, string>()
      for (const { msg, facts: line } of record.lines)
        if (msg === 'story begins') whole.set(String(line['number']), plain(String(line['story'])))
      for (const { id, body } of shown(facts)) {
        const { content = '' } = body
        const number = /^story (\d+)/.exec(people.messages.get(id)?.content ?? '')?.[1]
        if (number === undefined) continue
        const text = plain(content)
        if (content.includes('\ufffd')) yield `story ${number} has half a character`
        if (content.length > LONGEST) yield `story ${number} has a message of ${content.length} characters`
        if (!whole.get(number)?.startsWith(text)) yield `story ${number} shows ${JSON.stringify(content.slice(-200))}`
      }
    },
  },
  {
    name: 'a finished stream shows its whole text',
    why: 'the messages together contain it',
    *check(facts) {
      const { people, record } = facts
      const whole = new Map<string, string>()
      for (const { msg, facts: line } of record.lines) {
        const number = String(line['number'])
        if (msg === 'story begins') whole.set(number, String(line['story']))
        if (msg !== 'story ends') continue
        const { end, text, ids } = line as unknown as { end: string; text: string; ids: string[] }
        const story = whole.get(number)!
        // It may end within a character, and half of one is U+FFFD.
        const begun = wellFormed(story.slice(0, text.length))
        if (text !== (end === 'complete' ? story : begun)) yield `story ${number} returned ${text}`
        const messages = ids.map((id) => people.messages.get(id))
        const contents = messages.map((message) => message?.content ?? '')
        if (end !== 'complete' && ids.length > 0 && !/…(?:\n```)?$/.test(contents.at(-1)!))
          yield `story ${number} has no ellipsis`
        const found = plain(contents.join(''))
        if (end === 'complete' ? found !== plain(story) : !plain(story).startsWith(found))
          yield `story ${number} shows ${found.slice(-100)} at its end, but its text has ${plain(story).slice(-100)}`
      }
    },
  },
]

const approvals: readonly Rule[] = [
  {
    name: 'a request is decided once',
    why: 'each step of a durable handler has its effect once',
    *check(facts) {
      for (const [number, messages] of byNumber(facts, /^decided (\d+):/)) {
        if (messages.length > 1) yield `request ${number} was decided ${messages.length} times`
        const found = values(facts, `leave ${number}:`)
        if (found.length !== 1 || found[0]!.value !== 1) yield `leave ${number} is ${JSON.stringify(found)}`
      }
      for (const [number, messages] of byNumber(facts, /^leave (\d+)(?:\n|$)/))
        if (messages.length > 1) yield `request ${number} was posted ${messages.length} times`
    },
  },
  {
    name: 'a decision is that of a person who may decide',
    why: 'another person has neither the role nor clicked',
    *check(facts) {
      const { people, record } = facts
      const asked = byNumber(facts, /^leave (\d+)(?:\n|$)/)
      for (const [number, [decided]] of byNumber(facts, /^decided (\d+):/)) {
        const [, how, by] = /: (yes|no) by (\S+)/.exec(decided!.content)!
        const clicks = [...people.clicks.values()].filter(
          ({ message_id, custom_id, person }) =>
            message_id === asked.get(number)?.[0]?.id && custom_id === `?${how}` && people.idOf(person) === by,
        )
        if (clicks.length === 0) yield `request ${number}: ${by} has not clicked ${how}`
        const changes = people.staff.filter((one) => one.person_id === by)
        const last = changes.findLast(({ atMs }) => atMs < (clicks[0]?.atMs ?? 0))
        if (by === people.idOf(0)) yield `request ${number} was decided by a person without the role`
        if (!last || last.has || clicks.some(({ atMs }) => atMs - last.atMs < ROLE_MS)) continue
        if (record.isCalm(last.atMs, clicks[0]!.atMs, HARMLESS)) yield `request ${number}: ${by} has lost the role`
      }
    },
  },
  {
    name: 'after a crash, a decision counts',
    why: 'its click was answered, and a durable run waits for it',
    *check(facts) {
      if (!onlyCrashes(facts)) return
      const { people } = facts
      const decided = byNumber(facts, /^decided (\d+):/)
      for (const [number, [asked]] of byNumber(facts, /^leave (\d+)(?:\n|$)/)) {
        const click = [...people.clicks.values()].find(
          ({ message_id, person, answeredAtMs }) =>
            message_id === asked!.id && answeredAtMs !== undefined && people.idOf(person) !== people.idOf(0),
        )
        if (click && !decided.has(number))
          yield `request ${number} was decided at ${Math.round(click.atMs)} ms, but did not continue`
      }
    },
  },
  {
    name: 'a request shows its end',
    why: 'people must not click buttons that no longer work',
    *check(facts) {
      const { record } = facts
      if (record.incidents.length > 0) return
      for (const [number, [asked]] of byNumber(facts, /^leave (\d+)(?:\n|$)/))
        if (!/\*\*(Approve|Decline|Expired)\*\*/.test(asked!.content)) yield `request ${number}: ${asked!.content}`
    },
  },
]

const lists: readonly Rule[] = [
  {
    name: 'a button of a list leads to its page',
    why: 'it names the page, and works after a restart',
    *check(facts) {
      const { people, record, service } = facts
      const targets = new Map<string, string>()
      const askers = new Map<string, string>()
      for (const { id, body } of shown(facts)) {
        const [, number, page] = /^list (\d+) page (\d)$/.exec(body.content ?? '') ?? []
        if (number === undefined) continue
        const asker = people.messages.get(people.messages.get(id)?.reply_to_id ?? '')?.author_id
        if (asker !== undefined) askers.set(id, asker)
        for (const { custom_id, label, disabled } of body.components?.flatMap(({ components }) => components) ?? [])
          if (custom_id !== undefined && disabled !== true)
            targets.set(custom_id, `list ${number} page ${Number(page) + (label === '▶' ? 1 : -1)}`)
      }
      for (const { id, custom_id, message_id, person, atMs } of people.clicks.values()) {
        const target = targets.get(custom_id)
        if (target === undefined || !askers.has(message_id)) continue
        const answers = record.requests.filter(({ path, status = 0 }) => path.includes(id) && status < 300)
        const contents = answers.flatMap(({ body }) => /"content":"(list \d+ page \d)"/.exec(body)?.[1] ?? [])
        if (askers.get(message_id) !== people.idOf(person)) {
          if (contents.length > 0) yield `a click of another person has turned ${target}`
        } else if (contents.some((content) => content !== target)) yield `${target} has shown ${contents.join(', ')}`
        else if (contents.length === 0 && record.isCalm(atMs, atMs + ANSWER_MS) && record.switches.length === 0)
          if (service) yield `${target} was not shown for the click at ${Math.round(atMs)} ms`
      }
    },
  },
]

const models: readonly Rule[] = [
  {
    name: 'a command that a model calls works once',
    why: 'ctx.once knows the calls of an event that runs again',
    *check(facts) {
      if (forgets(facts)) return
      for (const { key, value } of values(facts, 'add '))
        if (!key.startsWith('once:') && value !== 1) yield `${key} is ${JSON.stringify(value)}`
    },
  },
]

const isHookPost = ({ path, method }: { path: string; method: string }) =>
  method === 'POST' && path.startsWith('/webhooks/')

const announcements: readonly Rule[] = [
  {
    name: 'an announcement is posted at most once',
    why: 'a post of unknown outcome is not repeated, and ctx.once does not begin it again',
    *check(facts) {
      if (forgets(facts)) return
      const seen = new Set<string>()
      for (const { content } of facts.people.messages.values()) {
        if (!/^announced \d+$/.test(content)) continue
        if (seen.has(content)) yield `"${content}" was posted twice`
        seen.add(content)
      }
    },
  },
  {
    name: 'the limits of a channel webhook are kept',
    why: 'the service refuses more, and its posts are retried together',
    *check({ record }) {
      for (const { status, path, method, retryAfter, sentAtMs, answeredAtMs } of record.requests) {
        if (!isHookPost({ path, method }) || status !== 429 || retryAfter !== true) continue
        // The next process does not know of the posts of the former one.
        if (!record.ended(sentAtMs - MINUTE_MS, answeredAtMs))
          yield `the post at ${Math.round(sentAtMs)} ms was one too many`
      }
    },
  },
  {
    name: 'after a crash, an announcement is posted or reported',
    why: 'its author must know what may be missing',
    *check(facts) {
      if (!onlyCrashes(facts)) return
      const posted = new Set([...facts.people.messages.values()].map(({ content }) => content))
      for (const [number] of byNumber(facts, /^announced all of (\d+)$/))
        for (const text of [`announced ${number}`, ...[1, 2, 3, 4].map((part) => `part ${part} of ${number}`)])
          if (!posted.has(text)) yield `"${text}" was reported, but not posted`
    },
  },
]

export const webRules: readonly Rule[] = [...stories, ...approvals, ...lists, ...models, ...announcements]
