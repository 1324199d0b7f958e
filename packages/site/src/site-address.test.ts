import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'

interface SiteAddress {
  sitemap?: { hostname: string }
  transformHead: (page: object) => [string, { property: string; content: string }][]
}

const { siteAddress } = (await import(new URL('../.vitepress/site-address.mjs', import.meta.url).href)) as {
  siteAddress: (url?: string) => SiteAddress
}

/** The properties of a page for links to it. */
const propertiesOf = ({ transformHead }: SiteAddress, relativePath: string) => {
  const head = transformHead({ title: 'Buttons', description: 'Chat bots', pageData: { relativePath } })
  return Object.fromEntries(head.map(([, { property, content }]) => [property, content]))
}

test.each([[undefined], ['']])('without an address (%j), there is no sitemap, and no page names a host', (url) => {
  const site = siteAddress(url)
  expect(site.sitemap).toBe(undefined)
  const properties = { 'og:type': 'website', 'og:title': 'Buttons', 'og:description': 'Chat bots' }
  expect(propertiesOf(site, 'guides/buttons.md')).toEqual(properties)
})

test.each([
  ['index.md', ''],
  ['guides/buttons.md', 'guides/buttons'],
  ['reference/index.md', 'reference/'],
])('with an address, %s has the address of its page and a picture that exists', (file, path) => {
  const site = siteAddress('https://docs.example.com/')
  expect(site.sitemap).toEqual({ hostname: 'https://docs.example.com' })
  expect(propertiesOf(site, file)).toMatchObject({
    'og:url': `https://docs.example.com/${path}`,
    'og:image': 'https://docs.example.com/pictures/page-light.webp',
  })
  expect(existsSync(new URL('../docs/public/pictures/page-light.webp', import.meta.url))).toBe(true)
})
