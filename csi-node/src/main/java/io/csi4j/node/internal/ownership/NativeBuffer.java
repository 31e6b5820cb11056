package io.csi4j.node.internal.ownership;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Memory for the arguments and results of system calls. One thread uses it at a time. */
final class NativeBuffer implements AutoCloseable {
    private final Memory memory;
    private final long address;
    private final int bytes;
    private final ByteBuffer content;

    NativeBuffer(int bytes) {
        this.bytes = bytes;
        // One zero byte more, which is the empty text.
        this.memory = new Memory(bytes + 1L);
        memory.clear();
        this.address = Pointer.nativeValue(memory);
        this.content = memory.getByteBuffer(0, bytes).order(ByteOrder.nativeOrder());
    }

    long address() {
        return address;
    }

    int bytes() {
        return bytes;
    }

    /** Returns the address of an empty text. */
    long emptyText() {
        return address + bytes;
    }

    void putLong(int at, long value) {
        content.putLong(at, value);
    }

    int intAt(int at) {
        return content.getInt(at);
    }

    int shortAt(int at) {
        return Short.toUnsignedInt(content.getShort(at));
    }

    long longAt(int at) {
        return content.getLong(at);
    }

    byte byteAt(int at) {
        return content.get(at);
    }

    /** Writes a text and a zero byte to the begin of the buffer. */
    void put(byte[] text) {
        content.put(0, text);
        content.put(text.length, (byte) 0);
    }

    /** Returns the bytes from a place up to the next zero byte. */
    byte[] textAt(int at) {
        int end = at;
        while (content.get(end) != 0) {
            end++;
        }
        byte[] text = new byte[end - at];
        content.get(at, text);
        return text;
    }

    @Override
    public void close() {
        memory.close();
    }
}
