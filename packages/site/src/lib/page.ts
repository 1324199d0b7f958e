/** One page of the site, before VitePress turns it into HTML. */
export interface Page {
  /** Its path on the site, without extension: `guides/buttons`. */
  to: string
  /** Its Markdown file, from the root of the repository; undefined for generated pages. */
  from?: string
  /** Its title in the list of pages. Default: its first heading. */
  title?: string
  text: string
}

/** A section in the list of pages, with its pages. */
export interface Section {
  title: string
  pages: Page[]
  /** Collapsed until a page in it is open. */
  folded?: boolean
}

/** The name of a page: its title, or its first heading without markup. */
export function titleOf({ title, text, to }: Page): string {
  const heading = /^# (?<words>.+)$/m.exec(text)?.groups?.['words']
  return title ?? heading?.replaceAll('`', '') ?? to
}
