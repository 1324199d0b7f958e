interface Picture {
  alt: string
  width: number
  height: number
}

/** The screenshots, each in a light and a dark version in `docs/public/pictures`, with their texts for screen readers. */
const pictures: Readonly<Record<string, Picture>> = {
  page: {
    alt: 'The page of the local service: ann offers tea, bob takes a cup with a button, and the bot answers who had the most',
    width: 1120,
    height: 640,
  },
  terminal: {
    alt: 'The terminal with framework dev: the address of the page, the commands, a reload in milliseconds, an error with file, line and code, and the old code that still answers',
    width: 860,
    height: 580,
  },
  'step-ping': { alt: 'ann types /ping, and the bot answers with a button', width: 960, height: 400 },
  'step-command': {
    alt: 'The bot answers /steep green, and shows ann how to use the command after /steep coffee',
    width: 960,
    height: 400,
  },
  'step-button': { alt: 'ann types /tea mint, and bob takes a cup with the button Me!', width: 960, height: 400 },
  'step-cups': { alt: 'ann types /cups, and the bot lists who had the most tea', width: 960, height: 400 },
}

const MARK =
  /<!-- (?:picture: (?<picture>[\w-]+)|(?<limits>the table of limits)|(?<agents>AGENTS\.md)|(?<texts>the table of texts)) -->/g

/** A picture on the site, in both looks. */
function htmlOf(name: string, { alt, width, height }: Picture): string {
  const one = (look: string) =>
    `<img class="in-${look}" src="/pictures/${name}-${look}.webp" alt="${alt}" width="${width}" height="${height}" loading="lazy">`
  return `<div class="picture">${one('light')}${one('dark')}</div>`
}

/** A picture where only text is shown. */
export const wordsOf = (_name: string, { alt }: Picture): string => `(Picture: ${alt}.)`

/**
 * Replaces the placeholders of a page: pictures, the table of limits, the table of the framework's own texts, the file AGENTS.md.
 * `show`: how a picture is written.
 */
export function insert(
  text: string,
  tables: { limits: string; agents: string; texts: string },
  show: (name: string, picture: Picture) => string = htmlOf,
): string {
  return text.replaceAll(MARK, (mark: string, ...rest: unknown[]) => {
    const { picture, limits, texts } = rest.at(-1) as Record<string, string | undefined>
    if (limits !== undefined) return tables.limits
    if (texts !== undefined) return tables.texts
    if (picture === undefined) return ['````markdown', tables.agents.trimEnd(), '````'].join('\n')
    const found = pictures[picture]
    if (!found) throw new Error(`${mark}: inserts.ts has no such picture`)
    return show(picture, found)
  })
}
