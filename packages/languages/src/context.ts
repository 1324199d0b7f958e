import { BotwrightError, context, languageChain, type Timezone, timezoneOf } from '@botwright/framework'
import { languageOf, readCatalogue } from './lib/catalogue.ts'
import { fallbackChain, type TextValue, type Translate, translator } from './lib/translate.ts'

interface Options {
  fallback: string
  timezone?: Timezone
}

interface About {
  readonly user?: { readonly id: string | undefined }
  readonly server_id?: string | null | undefined
}

export default context<Options>(({ options: { fallback, timezone = 'UTC' }, data, store, texts }) => {
  const faults: string[] = []
  const catalogue = readCatalogue(data, (file, text) => faults.push(`${file}: ${text}`))
  if (faults.length > 0) throw new BotwrightError('ERR_CONFIG', faults.join('\n'))
  /** One for each time zone: a variable of the environment may name it. */
  const translators = new Map<string, ReturnType<typeof translator>>()
  const translatorIn = (zone: string) => {
    let translate = translators.get(zone)
    if (!translate) translators.set(zone, (translate = translator(catalogue, zone)))
    return translate
  }
  const chosen = async (of: 'user' | 'server', id: string | null | undefined) => {
    const kept = id ? await store.get(`locale:${of}:${id}`) : undefined
    return typeof kept?.value === 'string' ? kept.value : undefined
  }
  const languageFor = async ({ user, server_id }: About) =>
    (await chosen('user', user?.id)) ?? (await chosen('server', server_id)) ?? fallback
  texts.use({
    languageOf: languageFor,
    find: (language, key) => catalogue.get(language)?.own.get(key),
  })

  return {
    t: (ctx): Translate => {
      const at = (language: string, key: string, values?: Record<string, TextValue>) =>
        translatorIn(timezoneOf(timezone, ctx.env, 'languages'))(fallbackChain(language, fallback), key, values)
      const t = async (key: string, values?: Record<string, TextValue>) => at(await ctx.language(), key, values)
      const inLanguage: typeof at = (language, ...rest) => at(languageOf(language) ?? language, ...rest)
      return Object.assign(t, { in: inLanguage }) as Translate
    },
    language: (ctx) => (of?: { user_id?: string; server_id?: string }) =>
      languageFor(of ? { user: { id: lowerId(of.user_id) }, server_id: lowerId(of.server_id) } : (ctx as About)),
    setLanguage:
      (ctx) =>
      async (language, of = 'user') => {
        const { user, server_id } = ctx as About
        const id = of === 'user' ? user?.id : server_id
        if (!id) throw new BotwrightError('ERR_INVALID_REQUEST', `this event has no ${of}, so no language can be set`)
        if (language === undefined) return void (await store.delete(`locale:${of}:${id}`))
        const known = languageOf(language)
        const found = known && languageChain(known).find((one) => catalogue.has(one))
        if (!found) {
          const names = [...catalogue.keys()].sort().join(', ')
          throw new BotwrightError(
            'ERR_INVALID_REQUEST',
            `there are no texts in "${language}"; available languages: ${names}`,
          )
        }
        await store.set(`locale:${of}:${id}`, known)
      },
  }
})

/** A UUID as the service returns it, which accepts it in any case. */
const lowerId = (id: string | undefined): string | undefined =>
  id !== undefined && /^[\da-f-]{36}$/i.test(id) ? id.toLowerCase() : id
