import { h } from 'vue'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { data as folders } from './bot-folder.data.mjs'
import './style.css'

/** Beside the first words: a bot's folder. */
const botFolder = () =>
  h(
    'div',
    { class: 'bot-folder', role: 'img', 'aria-label': "The files of a bot's folder, and what each stands for" },
    [
      h('p', 'my-bot/'),
      ...folders.map(({ folder, files }) =>
        h('dl', [
          h('div', [h('dt', `${folder}/`)]),
          ...files.map(({ path, meaning }) => h('div', { class: 'file' }, [h('dt', path), h('dd', meaning)])),
        ]),
      ),
    ],
  )

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'home-hero-image': botFolder }),
}
