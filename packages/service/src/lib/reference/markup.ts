/** A piece of HTML that is safe to include in a page. */
export interface Markup {
  readonly markup: string
}

export type Part = Markup | string | number | boolean | null | undefined | readonly Part[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const render = (part: Part): string => {
  if (part === null || part === undefined || typeof part === 'boolean') return ''
  if (typeof part === 'object') return 'markup' in part ? part.markup : part.map(render).join('')
  return String(part).replace(/[&<>"']/g, (character) => entities[character]!)
}

/** Renders HTML with values: texts are escaped, markup is inserted unchanged, `false` and `null` render nothing. */
export const html = (texts: TemplateStringsArray, ...values: Part[]): Markup => ({
  markup: texts.reduce((whole, text, index) => whole + render(values[index - 1]) + text),
})

/** Renders a text of the document, in which backticks mark code. */
export const prose = (text: string): Markup => ({
  markup: render(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\n/g, '<br>'),
})
