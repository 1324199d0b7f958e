/** The halves of the split screen. */
export type Half = 'left' | 'right'
/** The message of a half to the window around it: its address and its person; both are undefined until someone signs in. */
export type Moved = { kind: 'moved'; half: Half; address: string | undefined; name: string | undefined }

export const splitPath = '/split'

const isHalf = (name: string | undefined): name is Half => name === 'left' || name === 'right'
// The frame belongs to the window around this one, so `instanceof` does not recognise it.
const framed = (window.frameElement as HTMLElement | null)?.dataset.half

/** The half of the split screen that this page is; undefined outside of it. */
export const ownHalf: Half | undefined = isHalf(framed) ? framed : undefined

/** A key of `sessionStorage`, which both halves share. The left half goes on with the session of the window. */
export const sessionKey = (name: string): string => (ownHalf === 'right' ? `${name}-right` : name)

/** A path of this service: an address of another site must not open inside the page. */
const ownPath = (text: string | null): string => {
  const url = new URL(text ?? '/', location.origin)
  return url.origin === location.origin && url.pathname !== splitPath ? url.pathname + url.search : '/'
}

/** Reads the addresses of both halves from the URL of the split screen: `/split?left=…&right=…`. */
export const readSplit = ({ searchParams }: URL): Record<Half, string> => ({
  left: ownPath(searchParams.get('left')),
  right: ownPath(searchParams.get('right')),
})

export const splitAddress = (addresses: Record<Half, string>): string =>
  `${splitPath}?${new URLSearchParams(addresses)}`

/** Reports this half to the window around it, which shows the name; a reload opens both halves where they were. */
export function reportHalf(address: string | undefined, name: string | undefined): void {
  if (ownHalf) parent.postMessage({ kind: 'moved', half: ownHalf, address, name } satisfies Moved, location.origin)
}

const shown = (): string => location.pathname + location.search

/** Opens the split screen with this person on the left. */
export const startSplit = (): void => location.assign(splitAddress({ left: shown(), right: '/' }))

/** Ends the split screen; the person on the left stays. */
export const endSplit = (): void => parent.location.assign(readSplit(new URL(parent.location.href)).left)
