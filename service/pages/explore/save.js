// Where a download goes. A file is there whole, or it is as it was before: what is cut leaves nothing behind.

export const memory = 512; // MiB that a browser collects where it lets no page write to a file

/** Whether the browser lets a page write to a file that the reader picks, of any size. */
export const toFile = () => "showSaveFilePicker" in window;

/** Where the reader wants a file to go; null: nowhere. It has write, close (it is whole), and discard. */
export async function pickFile(name, mediaType) {
  if (!toFile()) return collected(name, mediaType);
  const extension = name.slice(name.lastIndexOf("."));
  let file;
  try {
    file = await showSaveFilePicker({ suggestedName: name, types: [{ accept: { [mediaType]: [extension] } }] });
  } catch (failure) {
    if (failure.name === "AbortError") return null; // the reader closed it
    throw failure;
  }
  const writable = await file.createWritable(); // to a copy, which takes the file's place when it is closed
  return {
    write: (chunk) => writable.write(chunk),
    close: () => writable.close(),
    discard: async () => {
      await writable.abort();
      if ((await file.getFile()).size === 0) await file.remove?.(); // made by the picker, and never written
    },
  };
}

function collected(name, mediaType) {
  let chunks = [], size = 0;
  return {
    write: (chunk) => {
      size += chunk.length;
      if (size > memory * 2 ** 20) throw new Error(`It is larger than ${memory} MiB, which is what this browser can save`);
      chunks.push(chunk);
    },
    close: () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob(chunks, { type: mediaType }));
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser has taken it long before
    },
    discard: () => (chunks = []),
  };
}
