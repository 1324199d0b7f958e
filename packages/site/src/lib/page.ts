/** One page of the site, before VitePress makes HTML of it. */
export interface Page {
  /** Where it stands on the site, without ending: `guides/buttons`. */
  to: string
  /** Its markdown file, from the root of the repository; a page that is made of something else has none. */
  from?: string
  /** In the list of pages; else its first heading. */
  title?: string
  text: string
}

/** A heading of the list of pages, with the pages below it. */
export interface Section {
  title: string
  pages: Page[]
  /** Folded until a page of it is open. */
  folded?: boolean
}

/** What a page is called: its title, or its first heading without marks. */
export function titleOf({ title, text, to }: Page): string {
  const heading = /^# (?<words>.+)$/m.exec(text)?.groups?.['words']
  return title ?? heading?.replaceAll('`', '') ?? to
}
