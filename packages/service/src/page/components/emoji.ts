import { signal } from '@preact/signals'
import { replaceEmojiNames } from '../../lib/markdown/typed.ts'

/** An emoji: its names, as in `:tada:`, the words that find it, and its group. */
export interface Emoji {
  emoji: string
  names: readonly string[]
  words: string
  group: string
}

/** All emoji; undefined until they are loaded. */
export const allEmoji = signal<readonly Emoji[] | undefined>(undefined)

/** The shape of `assets/emoji.json`: see scripts/build-page.mjs. */
type Rows = readonly [emoji: string, names: readonly string[], words: string, group: string][]

let loading: Promise<void> | undefined
/** Loads the emoji on first use: most visits need none. */
export function loadEmoji(): Promise<void> {
  loading ??= fetch('/assets/emoji.json')
    .then(async (response) => {
      if (!response.ok) throw new Error(`the emoji cannot be loaded: status ${response.status}`)
      const rows = (await response.json()) as Rows
      allEmoji.value = rows.map(([emoji, names, words, group]) => ({ emoji, names, words, group }))
    })
    .catch((error: unknown) => {
      // The next use tries again.
      loading = undefined
      throw error
    })
  return loading
}

/** The emoji that the picker shows first. */
export const common =
  '👍 ❤️ 😂 🎉 🔥 👀 ✅ ❌ 🚀 💯 🙏 👎 👏 🙌 👋 🤝 💪 🫡 😀 😄 😅 🙂 😉 😍 🥳 😎 🤔 🤨 😮 😢 😭 😡 😱 😴 🤯 🤖 💡 ⚡ ⭐ ✨ 🏆 🎯 🐛 🔧 ⚙️ 📌 📝 📦 🔒 ⏳ ⏰ 📅 ☕ 🍕 🍪 🍰 🎵 🎲 🌈 🌱 ➕ ❓ ❗ ⚠️'.split(
    ' ',
  )

/** Ranks an emoji for a query, best first: a name that is it, a name or word that starts with it, a name that contains it. */
function rank({ names, words }: Emoji, query: string): number {
  if (names.includes(query)) return 0
  if (names.some((each) => each.startsWith(query))) return 1
  if (words.split(' ').some((each) => each.startsWith(query))) return 2
  return names.some((each) => each.includes(query)) ? 3 : Number.POSITIVE_INFINITY
}

/** The emoji for a query of the picker or of `:name`, best first. */
export function findEmoji(typed: string, most: number): Emoji[] {
  const query = typed.trim().toLowerCase().replaceAll(' ', '_')
  return (allEmoji.value ?? [])
    .map((emoji) => ({ emoji, at: rank(emoji, query) }))
    .filter(({ at }) => at !== Number.POSITIVE_INFINITY)
    .sort((a, b) => a.at - b.at)
    .slice(0, most)
    .map(({ emoji }) => emoji)
}

/** Replaces `:tada:` by its emoji; unknown names stay, and all of them until the emoji are loaded. */
export const replaceLoadedNames = (text: string): string =>
  replaceEmojiNames(text, (name) => allEmoji.value?.find((each) => each.names.includes(name))?.emoji)

/** Replaces `:tada:` by its emoji; unknown names stay. */
export async function replaceNames(text: string): Promise<string> {
  if (hasNames(text)) await loadEmoji()
  return replaceLoadedNames(text)
}

/** Whether a text may have names of emoji. */
export function hasNames(text: string): boolean {
  const names = new Set<string>()
  replaceEmojiNames(text, (name) => void names.add(name))
  return names.size > 0
}
