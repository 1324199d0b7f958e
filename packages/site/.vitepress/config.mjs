import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { highlight } from './highlight.mjs'
import { searchOptions } from './search.mjs'
import { snippets } from './snippets.mjs'

const sidebar = JSON.parse(readFileSync(new URL('../dist/pages/sidebar.json', import.meta.url), 'utf8'))

export default defineConfig({
  title: 'Botwright',
  description: 'A declarative TypeScript framework for chat bots, with a chat service of its own',
  lang: 'en',
  srcDir: 'dist/pages',
  // Copied as it is: an AGENTS.md is no page.
  srcExclude: ['public/**'],
  outDir: 'dist/site',
  cacheDir: 'dist/cache',
  cleanUrls: true,
  metaChunk: true,
  // The build looks at all links itself, anchors too, and tells every one: src/lib/check-anchors.ts.
  ignoreDeadLinks: true,
  // The index of the search is one file.
  vite: { build: { chunkSizeWarningLimit: 3000 } },
  head: [
    ['link', { rel: 'icon', href: '/mark.svg', type: 'image/svg+xml' }],
    ['meta', { name: 'theme-color', content: '#5159d3' }],
  ],
  markdown: {
    highlight,
    config: snippets,
  },
  themeConfig: {
    logo: { src: '/mark.svg', alt: '' },
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Guides', link: '/guides/commands', activeMatch: '^/guides/' },
      { text: 'Reference', link: '/reference/', activeMatch: '^/reference/' },
      { text: 'Bot interface', link: '/interface/', activeMatch: '^/interface/' },
      { text: 'Errors', link: '/errors' },
    ],
    sidebar,
    search: { provider: 'local', options: { miniSearch: { searchOptions } } },
    outline: { level: [2, 3] },
    docFooter: { prev: 'Before', next: 'Next' },
  },
})
