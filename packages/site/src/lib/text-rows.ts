import { frameworkTexts } from '@botwright/framework/start'

/** The framework's own texts as a table: each key with its English and its German text. Plural forms are separated by a slash. */
export function textRows(): string {
  const cell = (text: string | object) => {
    const forms = typeof text === 'string' ? [text] : (Object.values(text) as string[])
    return forms.map((form) => form.trim().replaceAll('|', '\\|').replaceAll('`', "'")).join(' / ')
  }
  const rows = Object.entries(frameworkTexts).map(([key, { en, de }]) => `| \`${key}\` | ${cell(en)} | ${cell(de)} |`)
  return ['| Key | English | German |', '| --- | --- | --- |', ...rows].join('\n')
}
