package io.csi4j.replication.ratis.internal.machine;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A stream that ends after the first bytes of another stream. */
final class LimitedInput extends FilterInputStream {
    private long left;

    LimitedInput(InputStream in, long length) {
        super(in);
        this.left = length;
    }

    @Override
    public int read() throws IOException {
        if (left <= 0) {
            return -1;
        }
        int value = super.read();
        if (value >= 0) {
            left--;
        }
        return value;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        if (left <= 0) {
            return length == 0 ? 0 : -1;
        }
        int count = super.read(buffer, offset, (int) Math.min(length, left));
        if (count > 0) {
            left -= count;
        }
        return count;
    }

    @Override
    public long skip(long count) throws IOException {
        long skipped = super.skip(Math.min(count, left));
        left -= skipped;
        return skipped;
    }

    @Override
    public int available() throws IOException {
        return (int) Math.min(super.available(), left);
    }

    @Override
    public boolean markSupported() {
        return false;
    }
}
