package io.csi4j.simulation.internal.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An open file or directory. The only operation on a directory is to sync it. */
final class SimFileChannel extends FileChannel {
    private final SimFileSystem process;
    private final SimDisk.Inode inode;
    private final boolean writable;
    private int position;

    SimFileChannel(SimFileSystem process, SimDisk.Inode inode, boolean writable) {
        this.process = process;
        this.inode = inode;
        this.writable = writable;
    }

    private SimDisk.FileNode file() throws IOException {
        if (inode instanceof SimDisk.FileNode file) {
            return file;
        }
        throw new IOException("Is a directory");
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        byte[] content = file().content;
        if (position >= content.length) {
            return -1;
        }
        int length = Math.min(target.remaining(), content.length - position);
        target.put(content, position, length);
        position += length;
        return length;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        if (!writable) {
            throw new NonWritableChannelException();
        }
        process.gate().pass();
        SimDisk.FileNode file = file();
        int length = source.remaining();
        byte[] content = Arrays.copyOf(file.content, Math.max(file.content.length, position + length));
        source.get(content, position, length);
        file.content = content;
        position += length;
        return length;
    }

    @Override
    public void force(boolean metaData) throws IOException {
        process.gate().pass();
        if (inode instanceof SimDisk.FileNode file) {
            file.synced = file.content;
        } else if (inode instanceof SimDisk.DirectoryNode directory) {
            directory.synced = new TreeMap<>(directory.names);
        }
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public FileChannel position(long newPosition) {
        position = Math.toIntExact(newPosition);
        return this;
    }

    @Override
    public long size() throws IOException {
        return file().content.length;
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        process.gate().pass();
        SimDisk.FileNode file = file();
        if (size < file.content.length) {
            file.content = Arrays.copyOf(file.content, Math.toIntExact(size));
        }
        return this;
    }

    @Override
    public @Nullable FileLock tryLock(long start, long size, boolean shared) throws IOException {
        SimDisk.FileNode file = file();
        SimFileSystem holder = file.lockedBy;
        if (holder != null && !holder.ended() && !holder.equals(process)) {
            return null;
        }
        file.lockedBy = process;
        return new HeldLock(this, file);
    }

    private static final class HeldLock extends FileLock {
        private final SimDisk.FileNode file;
        private boolean held = true;

        HeldLock(FileChannel channel, SimDisk.FileNode file) {
            super(channel, 0, Long.MAX_VALUE, false);
            this.file = file;
        }

        @Override
        public boolean isValid() {
            return held;
        }

        @Override
        public void release() {
            held = false;
            file.lockedBy = null;
        }
    }

    @Override
    protected void implCloseChannel() {
        if (inode instanceof SimDisk.FileNode file && process.equals(file.lockedBy)) {
            file.lockedBy = null;
        }
    }

    private static UnsupportedOperationException unsupported() {
        return new UnsupportedOperationException("the simulated disk reads and writes whole files only");
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
        throw unsupported();
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
        throw unsupported();
    }

    @Override
    public long transferTo(long from, long count, WritableByteChannel target) {
        throw unsupported();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long at, long count) {
        throw unsupported();
    }

    @Override
    public int read(ByteBuffer target, long at) {
        throw unsupported();
    }

    @Override
    public int write(ByteBuffer source, long at) {
        throw unsupported();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long at, long size) {
        throw unsupported();
    }

    @Override
    public FileLock lock(long at, long size, boolean shared) {
        throw unsupported();
    }
}
