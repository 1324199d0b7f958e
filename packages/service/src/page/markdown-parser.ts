import MarkdownIt from 'markdown-it'

// No HTML, inline pictures or tables. Everything else is rendered as nodes, so a message cannot inject markup.
export const parser = new MarkdownIt({ html: false, linkify: true, breaks: true }).disable([
  'image',
  'table',
  'reference',
  'lheading',
])
const mention = /<([@#])([0-9a-f]{8}-[0-9a-f-]{27})>/iy
parser.inline.ruler.before('autolink', 'mention', (state, silent) => {
  mention.lastIndex = state.pos
  const found = mention.exec(state.src)
  if (!found) return false
  if (!silent) state.push('mention', '', 0).meta = { sign: found[1], id: found[2]?.toLowerCase() }
  state.pos += found[0].length
  return true
})
