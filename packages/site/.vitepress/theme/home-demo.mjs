import { defineComponent, h, onMounted, onUnmounted, ref } from 'vue'
import firstCommand from '../../first-command.json'
import { data } from './recording.data.mjs'

const { published, registry, checkout, note } = firstCommand

/** The demo, scene by scene: the code, the messages below it, and how long the scene is shown. */
const [first, second] = data.steps
const asked = { from: data.person, text: data.said }
const scenes = [
  { code: first, messages: [], ms: 1200 },
  { code: first, messages: [asked], ms: 700 },
  { code: first, messages: [asked, { text: first.answer }], ms: 2400 },
  { code: second, saved: true, messages: [asked, { text: first.answer }], ms: 2000 },
  { code: second, saved: true, messages: [asked, { text: first.answer }, asked], ms: 700 },
  { code: second, saved: true, messages: [asked, { text: first.answer }, asked, { text: second.answer }], ms: 4500 },
]

const line = ({ from, text }) =>
  h('p', { class: 'message' }, [
    h('b', from ?? 'my-bot'),
    from === undefined ? h('span', { class: 'tag' }, 'BOT') : undefined,
    h('span', { class: 'text' }, text),
  ])

/** Code beside a chat, where a save changes the answer. Shows its last scene to readers who prefer no motion, and can be paused. */
export const HomeDemo = defineComponent(() => {
  const scene = ref(scenes.length - 1)
  const plays = ref(false)
  let timer
  const next = () => {
    timer = setTimeout(() => {
      scene.value = (scene.value + 1) % scenes.length
      next()
    }, scenes[scene.value].ms)
  }
  const play = (on) => {
    plays.value = on
    clearTimeout(timer)
    if (on) next()
  }
  onMounted(() => {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
    scene.value = 0
    play(true)
  })
  onUnmounted(() => clearTimeout(timer))
  return () => {
    const { code, saved, messages } = scenes[scene.value]
    return h('figure', { class: 'home-demo' }, [
      h('figcaption', { class: 'bar' }, [
        h('span', { class: 'path' }, data.file),
        h('span', { class: ['reload', { shown: saved }] }, `saved, reloaded in ${data.reloadMs} ms`),
        h(
          'button',
          {
            type: 'button',
            'aria-label': plays.value ? 'Pause the demo' : 'Play the demo',
            onClick: () => play(!plays.value),
          },
          plays.value ? '❚❚' : '▶',
        ),
      ]),
      h('div', { class: 'code', innerHTML: code.html }),
      h('div', { class: 'chat' }, [h('p', { class: 'channel' }, '# general'), ...messages.map(line)]),
    ])
  }
})

/** The command that creates a bot, with a button that copies it. */
export const InstallLine = defineComponent(() => {
  const command = `${published ? registry : checkout} my-bot`
  const copied = ref(false)
  const copy = async () => {
    await navigator.clipboard.writeText(command)
    copied.value = true
    setTimeout(() => (copied.value = false), 2000)
  }
  return () =>
    h('div', { class: 'install-line' }, [
      h('code', command),
      h(
        'button',
        { type: 'button', 'aria-label': copied.value ? 'Copied' : 'Copy the command', onClick: copy },
        copied.value ? 'Copied' : 'Copy',
      ),
      h('span', { class: 'visually-hidden', role: 'status' }, copied.value ? 'Copied' : ''),
      published ? undefined : h('p', note.replaceAll('`', '')),
    ])
})
