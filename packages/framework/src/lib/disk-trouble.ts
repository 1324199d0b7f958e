/** What to do about a disk that takes no more, by the code of its refusal. */
export const noRoom = {
  ENOSPC: 'there is no room left on the disk: make some',
  EDQUOT: 'the user of this process has no room left on the disk: make some',
}

const refusals: Readonly<Partial<Record<string, string>>> = {
  ...noRoom,
  EISDIR: 'it is a folder: name a file',
  EROFS: 'the disk is read-only: let this process write to it',
  EACCES: 'the user of this process may not do that: give it the right to',
  EPERM: 'the user of this process may not do that: give it the right to',
}

/** A disk that refuses, with the path, the fact and the fix; undefined for any other error. */
export function diskTrouble(error: unknown, folder: string): string | undefined {
  const { code = '', path = folder, syscall = '' } = (error ?? {}) as NodeJS.ErrnoException
  const refusal = refusals[code]
  // The same codes come from watching files, from ports and from programs.
  const isDisk = /^(?:open|write|mkdir|mkdtemp|rename|rmdir|unlink|rm|scandir|opendir|copyfile|symlink)$/.test(syscall)
  return refusal === undefined || !isDisk ? undefined : `${path}: ${refusal} (${syscall}: ${code})`
}
