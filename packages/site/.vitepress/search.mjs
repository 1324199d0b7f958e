/**
 * How the site's search orders what it finds. `boostDocument` is written out into the page, so it must stand by itself.
 * A bot's author looks for a guide first, then for the packages that a bot imports; what the house is built of comes last.
 */
export const searchOptions = {
  fuzzy: 0.2,
  prefix: true,
  boost: { title: 4, text: 2, titles: 1 },
  boostDocument: (id) => {
    // It has a section for everything, and is for few.
    if (/^\/deploying\/cluster/.test(id)) return 1
    if (/^\/(?:guides|start|testing|command-line|deploying|delivery|create-bot|how-do-i)/.test(id)) return 6
    if (/^\/errors/.test(id)) return 2
    if (/^\/reference\/(?:framework|testing)/.test(id)) return 1.5
    return /^\/(?:reference|interface)/.test(id) ? 0.3 : 1
  },
}
