import type { ComponentChildren } from 'preact'
import { h } from 'preact'
import { openChannel } from '../../state/actions.ts'
import { CodeBlock } from './code-block.tsx'
import { safeLink } from '../links.ts'
import { type Mention as MentionMeta, mentionOf, parse, parseInline, type Token } from '../../../lib/markdown/parser.ts'
import { plainText as plain } from '../../../lib/markdown/read.ts'
import { channelOf, mentionName } from '../../state/names.ts'
import { overlay, person } from '../../state/store.ts'
import { attempt } from '../../state/toasts.ts'
import { useTabStop } from '../tab-stop.ts'

const blocks = new Set(['p', 'ul', 'ol', 'blockquote'])
const tags = new Set(['p', 'strong', 'em', 's', 'ul', 'ol', 'li', 'blockquote'])

function Mention({ sign, id }: MentionMeta) {
  const tabIndex = useTabStop()
  const name = mentionName({ sign, id })
  if (sign === '#') {
    const channel = channelOf(id)
    if (!channel) return <span class="mention">{name}</span>
    return (
      <button
        type="button"
        class="mention"
        tabIndex={tabIndex}
        onClick={() => void attempt(() => openChannel(channel.server_id, channel.id))}
      >
        {name}
      </button>
    )
  }
  if (sign === '@&') return <span class="mention">{name}</span>
  const self = person.value?.id === id
  return (
    <button
      type="button"
      class={self ? 'mention mention-self' : 'mention'}
      tabIndex={tabIndex}
      onClick={() => (overlay.value = { kind: 'profile', userId: id })}
    >
      {name}
    </button>
  )
}

const Link = ({ href, children }: { href: string; children: ComponentChildren }) => (
  <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href} tabIndex={useTabStop()}>
    {children}
  </a>
)

/** Renders an element. A block at the top of a text has the direction of its own words, and its parts follow it. */
function open(token: Token, children: ComponentChildren[], isTop: boolean): ComponentChildren {
  if (token.hidden) return children
  if (token.tag === 'a') {
    const href = safeLink(token.attrGet('href')?.toString())
    if (href === undefined) return children
    return <Link href={href}>{children}</Link>
  }
  if (/^h[1-6]$/.test(token.tag))
    return (
      <p dir="auto" class={`md-heading md-${token.tag}`}>
        {children}
      </p>
    )
  const dir = isTop && blocks.has(token.tag) ? { dir: 'auto' as const } : {}
  if (token.tag === 'ol') {
    return (
      <ol start={Number(token.attrGet('start') ?? 1)} {...dir}>
        {children}
      </ol>
    )
  }
  return tags.has(token.tag) ? h(token.tag, dir, children) : children
}

/** The first word after the fence of a block of code. */
const languageOf = ({ info }: Token): string => info.trim().split(/\s/, 1)[0]!.toLowerCase()

function leaf(token: Token): ComponentChildren {
  switch (token.type) {
    case 'inline':
      return nodes(token.children ?? [])
    case 'softbreak':
    case 'hardbreak':
      return <br />
    case 'code_inline':
      return <code>{token.content}</code>
    case 'fence':
    case 'code_block':
      return <CodeBlock text={token.content.replace(/\n$/, '')} language={languageOf(token)} />
    case 'hr':
      return <hr />
    default: {
      const mention = mentionOf(token)
      return mention ? <Mention {...mention} /> : token.content
    }
  }
}

/** Turns a flat list of tokens, in which `nesting` opens (1) and closes (-1), into a tree of nodes. */
function nodes(tokens: readonly Token[]): ComponentChildren[] {
  const stack: { token: Token | undefined; children: ComponentChildren[] }[] = [{ token: undefined, children: [] }]
  for (const token of tokens) {
    if (token.nesting === 1) stack.push({ token, children: [] })
    else if (token.nesting === -1 && stack.length > 1) {
      const done = stack.pop()
      if (done?.token) stack.at(-1)?.children.push(open(done.token, done.children, stack.length === 1))
    } else stack.at(-1)?.children.push(leaf(token))
  }
  return stack[0]?.children ?? []
}

const onlyEmoji = /^(?:\p{RGI_Emoji}\s*){1,6}$/v

/** A text without its formatting, on one line: for quotes and screen readers. */
export const plainText = (text: string): string => plain(text, mentionName)

/** Renders the safe Markdown subset of a message or an embed (§2). */
export function Markdown({ text, inline = false }: { text: string; inline?: boolean }) {
  if (inline) return <>{nodes(parseInline(text))}</>
  return <div class={onlyEmoji.test(text) ? 'md md-jumbo' : 'md'}>{nodes(parse(text))}</div>
}
