// A block of code whose first line names its file gets the name as its caption: the path in the bot's folder is what a reader needs.

const PLACE = /^\/\/ (?<path>[\w./()-]+\/[\w.-]+\.ts)\n/
const FOLDER = /^(?:packages\/workspace\/tests|packages\/site\/tests|examples|templates)\/(?<bot>[\w-]+)\//

/** @param {import('vitepress').MarkdownRenderer} md */
export function snippets(md) {
  const fence = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index]
    const path = PLACE.exec(token.content)?.groups.path
    if (path === undefined) return fence(tokens, index, options, env, self)
    token.content = token.content.replace(PLACE, '')
    const folder = FOLDER.exec(path)
    const example = path.startsWith('examples/')
      ? ` <a href="/examples/${folder.groups.bot}">${folder.groups.bot}</a>`
      : ''
    const name = md.utils.escapeHtml(folder === null ? path : path.slice(folder[0].length))
    return `<div class="snippet"><p class="file">${name}${example}</p>\n${fence(tokens, index, options, env, self)}</div>\n`
  }
}
