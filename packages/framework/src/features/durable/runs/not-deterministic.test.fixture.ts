// size: table
// Handlers that act differently when they run again, and how their steps differ.

import { id } from '../../../tests/loaded-bot.test.fixture.ts'
import { durable } from './restarts.test.fixture.ts'

/** Expressions that are true in the first process, and false in the next one. */
export const sources = [
  'Math.random() < 0.5',
  'Date.now() < 1000',
  'performance.now() < 1000',
  "crypto.randomUUID() === 'first'",
  "process.env.BOTWRIGHT_TEST_PHASE === 'first'",
  'loads === 1',
  '(globalThis.runs = (globalThis.runs ?? 0) + 1) === 1',
  "(await import('node:os')).hostname() === globalThis.host",
]

export const code = (body: string) => `const loads = (globalThis.loads = (globalThis.loads ?? 0) + 1)\n${durable(body)}`
export const ask = "await ctx.ask('Word?', { timeout: '1h' });"
const call = (name: string) => `call "${name}"`
const posts = call('messages.create')
export const step = (name: string) => `step "${name}"`
const state = (change: string) => `state "${change} state:user:a:${id(40)}"`
const answer = `answer "text:${id(20)}:${id(40)}"`

export const other = ' with other arguments'
export const work = (name: string) => `await ctx.step('${name}', () => 1);`

/** The code of the first run and of the second one, and the words of the error: the new step and the recorded one. */
export const differences: [title: string, first: string, second: string, now: string, before: string][] = [
  ['another kind of step', work('a'), "await ctx.send(ctx.channel_id, 'a');", posts, step('a')],
  ['a step instead of a message', "await ctx.reply('a');", work('a'), step('a'), posts],
  ['another name', work('a'), work('b'), step('b'), step('a')],
  ['another text', "await ctx.reply('a');", "await ctx.reply('b');", posts, posts + other],
  [
    'another channel',
    "await ctx.send(ctx.channel_id, 'a');",
    `await ctx.send('${id(22)}', 'a');`,
    posts,
    posts + other,
  ],
  [
    'another embed',
    "await ctx.reply({ embeds: [{ title: 'a' }] });",
    "await ctx.reply({ embeds: [{ title: 'b' }] });",
    posts,
    posts + other,
  ],
  [
    'a reply instead of a message',
    "await ctx.reply('a');",
    "await ctx.send(ctx.channel_id, 'a');",
    posts,
    posts + other,
  ],
  [
    'another emoji',
    "await ctx.react('👍');",
    "await ctx.react('👎');",
    call('reactions.add'),
    call('reactions.add') + other,
  ],
  ['a reaction instead of a message', "await ctx.reply('a');", "await ctx.react('👍');", call('reactions.add'), posts],
  [
    'a direct message',
    "await ctx.send(ctx.channel_id, 'a');",
    "await ctx.dm(ctx.user.id, 'a');",
    call('users.dm'),
    posts,
  ],
  ['an additional step', '', work('a'), step('a'), posts],
  ['a missing step', work('a'), '', posts, step('a')],
  ['a missing last step', `${work('a')} ${work('b')}`, work('a'), posts, step('b')],
  ['another order', `${work('a')} ${work('b')}`, `${work('b')} ${work('a')}`, step('b'), step('a')],
  [
    'fewer rounds',
    "for (let i = 0; i < 3; i++) await ctx.step('r', () => 1);",
    "for (let i = 0; i < 2; i++) await ctx.step('r', () => 1);",
    posts,
    step('r'),
  ],
  [
    'more rounds',
    "for (let i = 0; i < 2; i++) await ctx.step('r' + i, () => 1);",
    "for (let i = 0; i < 3; i++) await ctx.step('r' + i, () => 1);",
    step('r2'),
    posts,
  ],
  [
    'other work in a step',
    "await ctx.step('a', () => 1);",
    "await ctx.step('a', () => 2);",
    step('a'),
    step('a') + other,
  ],
  [
    'another key of the state',
    "await ctx.state.user.get('a');",
    "await ctx.state.user.get('b');",
    `state "get state:user:b:${id(40)}"`,
    state('get'),
  ],
  [
    'another value',
    "await ctx.state.user.set('a', 1);",
    "await ctx.state.user.set('a', 2);",
    state('set'),
    state('set') + other,
  ],
  [
    'a write instead of a read',
    "await ctx.state.user.get('a');",
    "await ctx.state.user.set('a', 2);",
    state('set'),
    state('get'),
  ],
  [
    'another question',
    "await ctx.ask('A?', { timeout: '1h' });",
    "await ctx.ask('B?', { timeout: '1h' });",
    posts,
    posts + other,
  ],
  [
    'another time for an answer',
    "await ctx.ask('A?', { timeout: '1h' });",
    "await ctx.ask('A?', { timeout: '2h' });",
    answer,
    answer + other,
  ],
  [
    'a choice instead of a question',
    "await ctx.ask('A?', { timeout: '1h' });",
    "await ctx.choose('A?', ['a', 'b'], { timeout: '1h' });",
    posts,
    posts + other,
  ],
  [
    'other options',
    "await ctx.choose('A?', ['a', 'b'], { timeout: '1h' });",
    "await ctx.choose('A?', ['b', 'a'], { timeout: '1h' });",
    posts,
    posts + other,
  ],
  ['a longer sleep', "await ctx.sleep('1d');", "await ctx.sleep('2d');", 'sleep ""', `sleep ""${other}`],
  ['no sleep', "await ctx.sleep('1d');", '', posts, 'sleep ""'],
  [
    'a sleep instead of a question',
    "await ctx.ask('A?', { timeout: '1h' });",
    "await ctx.sleep('1h');",
    'sleep ""',
    posts,
  ],
  ['an early end', work('a'), 'return', 'the handler ends after step 0', step('a')],
  ['an early error', work('a'), "throw new Error('early')", 'the handler ends after step 0', step('a')],
  [
    'an early end after a step',
    `${work('a')} ${work('b')}`,
    `${work('a')} return`,
    'the handler ends after step 1',
    step('b'),
  ],
  ['a new part', work('a'), 'return ctx.continueAs()', 'the handler ends after step 0', step('a')],
  [
    'an edit with another text',
    "const m = await ctx.reply('m'); await ctx.edit(m, 'a');",
    "const m = await ctx.reply('m'); await ctx.edit(m, 'b');",
    call('messages.update'),
    call('messages.update') + other,
  ],
  [
    'an edit instead of a message',
    "const m = await ctx.reply('m'); await ctx.send(ctx.channel_id, 'a');",
    "const m = await ctx.reply('m'); await ctx.edit(m, 'a');",
    call('messages.update'),
    posts,
  ],
  [
    'another call of the interface',
    'await ctx.api.messages.pin({ channel_id: ctx.channel_id, message_id: ctx.id });',
    'await ctx.api.messages.unpin({ channel_id: ctx.channel_id, message_id: ctx.id });',
    call('messages.unpin'),
    call('messages.pin'),
  ],
  [
    'another member of Promise.all',
    `await Promise.all([ctx.step('a', () => 1), ctx.step('b', () => 1)]);`,
    `await Promise.all([ctx.step('a', () => 1), ctx.step('c', () => 1)]);`,
    step('c'),
    step('b'),
  ],
  [
    'another order in Promise.all',
    `await Promise.all([ctx.step('a', () => 1), ctx.step('b', () => 1)]);`,
    `await Promise.all([ctx.step('b', () => 1), ctx.step('a', () => 1)]);`,
    step('b'),
    step('a'),
  ],
  [
    'a smaller Promise.all',
    `await Promise.all([ctx.step('a', () => 1), ctx.step('b', () => 1)]);`,
    `await Promise.all([ctx.step('a', () => 1)]);`,
    posts,
    step('b'),
  ],
  [
    'one after the other instead of at once',
    `await Promise.all([ctx.step('a', () => 1), ctx.step('b', () => 1)]);`,
    `${work('a')} ${work('c')}`,
    step('c'),
    step('b'),
  ],
  [
    'the winner of a race with a timer',
    "await Promise.race([ctx.step('a', () => new Promise((r) => setTimeout(r, 20))), new Promise((r) => setTimeout(r, 1))]); await ctx.step('timer', () => 1);",
    "await ctx.step('a', () => 1); await ctx.step('step', () => 1);",
    step('a'),
    step('a'),
  ],
  [
    'a caught error',
    "try { await ctx.step('a', () => { throw new Error('a') }) } catch { await ctx.step('caught', () => 1) }",
    "try { await ctx.step('a', () => { throw new Error('a') }) } catch {}",
    posts,
    step('caught'),
  ],
  [
    'another step in finally',
    `try { ${work('a')} } finally { ${work('f')} }`,
    `try { ${work('a')} } finally { ${work('g')} }`,
    step('g'),
    step('f'),
  ],
  [
    'a helper that does other work',
    `const help = (n) => ctx.step(n, () => 1); await help('a');`,
    `const help = (n) => ctx.step(n + n, () => 1); await help('a');`,
    step('aa'),
    step('a'),
  ],
]

/** Values of the process in the arguments of a step: no branch differs. */
export const values: [title: string, body: string, now: string, before: string][] = [
  ['a random text', "await ctx.reply('number ' + Math.random());", posts, posts + other],
  ['the time in a text', "await ctx.reply('at ' + Date.now());", posts, posts + other],
  ['a random name', "await ctx.step('job ' + Math.random(), () => 1);", step('job 0.9'), step('job 0.1')],
  [
    'a random id in the state',
    "await ctx.state.user.set('a', crypto.randomUUID());",
    state('set'),
    state('set') + other,
  ],
  [
    'a variable of the environment',
    "await ctx.reply('phase ' + process.env.BOTWRIGHT_TEST_PHASE);",
    posts,
    posts + other,
  ],
  ['a counter of the module', "await ctx.reply('load ' + loads);", posts, posts + other],
  [
    'a random order',
    "for (const n of ['a', 'b'].sort(() => Math.random() - 0.5)) await ctx.step(n, () => 1);",
    step('a'),
    step('b'),
  ],
  [
    'a random number of rounds',
    "for (let i = 0; i < Math.random() * 10; i++) await ctx.step('r' + i, () => 1);",
    step('r1'),
    posts,
  ],
  [
    'a random choice',
    "await ctx.choose('Which?', Math.random() < 0.5 ? ['a', 'b'] : ['b', 'a'], { timeout: '1h' });",
    posts,
    posts + other,
  ],
]
