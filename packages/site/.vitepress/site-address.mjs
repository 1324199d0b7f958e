/**
 * The parts of the site that need its public address, such as `https://docs.example.com`: the sitemap, and the picture for links to its pages.
 * Without an address, it has neither.
 */
export function siteAddress(url) {
  const hostname = url ? new URL(url).origin : undefined
  return {
    ...(hostname && { sitemap: { hostname } }),
    transformHead: ({ title, description, pageData: { relativePath } }) => {
      const properties = { 'og:type': 'website', 'og:title': title, 'og:description': description }
      if (hostname) {
        properties['og:url'] = `${hostname}/${relativePath.replace(/(?:(^|\/)index)?\.md$/, '$1')}`
        properties['og:image'] = `${hostname}/pictures/page-light.webp`
      }
      return Object.entries(properties).map(([property, content]) => ['meta', { property, content }])
    },
  }
}
