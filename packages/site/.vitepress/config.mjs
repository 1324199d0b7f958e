import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { highlight } from './highlight.mjs'
import { searchOptions, withQuestions } from './search.mjs'
import { siteAddress } from './site-address.mjs'
import { snippets } from './snippets.mjs'

const {
  repository: { url },
} = JSON.parse(readFileSync(new URL('../../framework/package.json', import.meta.url), 'utf8'))
const repository = url.replace(/^git\+|\.git$/g, '')
const [sidebar, questions, sources] = ['sidebar', 'questions', 'sources'].map((name) =>
  JSON.parse(readFileSync(new URL(`../dist/pages/${name}.json`, import.meta.url), 'utf8')),
)

export default defineConfig({
  title: 'Botwright',
  description: 'A TypeScript framework for chat bots made of files, with a local chat service to run and test them on',
  lang: 'en',
  srcDir: 'dist/pages',
  // Copied unchanged: AGENTS.md is not a page.
  srcExclude: ['public/**'],
  outDir: 'dist/site',
  cacheDir: 'dist/cache',
  cleanUrls: true,
  metaChunk: true,
  // src/lib/check-anchors.ts checks all links, including anchors, and reports every dead one.
  ignoreDeadLinks: true,
  // The search index is one file.
  vite: {
    build: { chunkSizeWarningLimit: 3000 },
    resolve: {
      alias: [{ find: /^.*\/VPHome\.vue$/, replacement: fileURLToPath(new URL('theme/home.mjs', import.meta.url)) }],
    },
  },
  ...siteAddress(process.env.SITE_URL),
  head: [
    ['link', { rel: 'icon', href: '/mark.svg', type: 'image/svg+xml' }],
    ['meta', { name: 'theme-color', content: '#5159d3' }],
  ],
  markdown: {
    highlight,
    config: snippets,
  },
  // Pages are copies, so the links lead to the files that they are written from. Generated pages have none.
  transformPageData: ({ relativePath, frontmatter }) => {
    const source = sources[relativePath]
    return source === undefined
      ? { frontmatter: { ...frontmatter, editLink: false } }
      : { filePath: source.from, ...(source.changedMs && { lastUpdated: source.changedMs }) }
  },
  themeConfig: {
    editLink: { pattern: `${repository}/edit/main/:path`, text: 'Edit this page' },
    lastUpdated: { text: 'Last updated', formatOptions: { dateStyle: 'medium' } },
    logo: { src: '/mark.svg', alt: '' },
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Guides', link: '/guides/commands', activeMatch: '^/guides/' },
      { text: 'Reference', link: '/reference/', activeMatch: '^/reference/' },
      { text: 'Bot interface', link: '/interface/', activeMatch: '^/interface/' },
      { text: 'Errors', link: '/errors' },
    ],
    sidebar,
    search: {
      provider: 'local',
      options: { detailedView: true, miniSearch: { options: withQuestions(questions), searchOptions } },
    },
    socialLinks: [{ icon: 'github', link: repository, ariaLabel: 'Source code on GitHub' }],
    outline: { level: [2, 3] },
    footer: { message: `MIT license · <a href="${repository}">Source code</a>` },
    notFound: {
      title: 'Page not found',
      quote: 'The link is wrong, or the page has moved. The search at the top finds it by its subject.',
      linkText: 'Go to the home page',
      linkLabel: 'Go to the home page',
    },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
})
