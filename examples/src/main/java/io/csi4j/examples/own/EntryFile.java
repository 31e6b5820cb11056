package io.csi4j.examples.own;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;

/** The entries of a {@link FileLog}: each has its length and the index of its command, with checksums. */
final class EntryFile implements Closeable {
    /** The length, the index, the checksum of the command, and the checksum of these three. */
    private static final int HEADER = 20;

    private final Path file;
    private final FileChannel channel;
    private volatile long durable;

    /** Gets each entry, in order. */
    interface Reader {
        void entry(long index, byte[] encoded);
    }

    /** Opens the file; {@link #replay} comes before the first {@link #append}. */
    EntryFile(Path file) throws IOException {
        this.file = file;
        this.channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** Writes an entry at the end, durable. */
    void append(long index, byte[] encoded) throws IOException {
        ByteBuffer entry = ByteBuffer.allocate(HEADER + encoded.length);
        entry.putInt(encoded.length).putLong(index).putInt(checksum(encoded, encoded.length));
        entry.putInt(checksum(entry.array(), entry.position())).put(encoded).flip();
        while (entry.hasRemaining()) {
            channel.write(entry);
        }
        force();
    }

    private void force() throws IOException {
        channel.force(true);
        durable = channel.position();
    }

    /** Returns the number of bytes that a power failure leaves: those of the last flush. */
    long durable() {
        return durable;
    }

    private static int checksum(byte[] bytes, int length) {
        CRC32 checksum = new CRC32();
        checksum.update(bytes, 0, length);
        return (int) checksum.getValue();
    }

    /**
     * Reads all entries, and returns their number. Cuts off an entry at the end that was not written completely.
     *
     * @throws IOException also if an entry before others is damaged
     */
    int replay(Reader reader) throws IOException {
        int count = 0;
        long position = 0;
        long size = channel.size();
        while (size - position >= HEADER) {
            byte[] start = read(position, HEADER);
            ByteBuffer header = ByteBuffer.wrap(start);
            int length = header.getInt();
            long index = header.getLong();
            int content = header.getInt();
            boolean readable = header.getInt() == checksum(start, HEADER - Integer.BYTES);
            long end = readable ? position + HEADER + length : size;
            if (end > size) {
                break;
            }
            byte[] encoded = readable ? read(position + HEADER, length) : new byte[0];
            if (!readable || checksum(encoded, length) != content) {
                if (end < size || (!readable && !isEmpty(position + HEADER, size))) {
                    throw new IOException(file + " is damaged at byte " + position + "; restore it from a backup");
                }
                break;
            }
            reader.entry(index, encoded);
            count++;
            position = end;
        }
        channel.truncate(position).position(position);
        force();
        return count;
    }

    /** Returns whether a part of the file has only zeros, as after a power failure that lost what was written there. */
    private boolean isEmpty(long from, long to) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            in.skipNBytes(from);
            for (long position = from; position < to; position++) {
                if (in.read() != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    private byte[] read(long position, int bytes) throws IOException {
        byte[] read = new byte[bytes];
        ByteBuffer rest = ByteBuffer.wrap(read);
        while (rest.hasRemaining()) {
            if (channel.read(rest, position + rest.position()) < 0) {
                throw new EOFException(file + " has become shorter");
            }
        }
        return read;
    }

    /** Removes all entries, durable. */
    void clear() throws IOException {
        channel.truncate(0).position(0);
        force();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
