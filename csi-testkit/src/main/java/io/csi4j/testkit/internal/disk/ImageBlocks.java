package io.csi4j.testkit.internal.disk;

import io.csi4j.testkit.internal.rule.CallRefusal;
import io.csi4j.testkit.internal.storage.BlockMap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

final class ImageBlocks implements BlockMap {
    private static final byte[] ZEROS = new byte[BLOCK_BYTES];

    private final Path image;
    private final FileChannel channel;
    private final byte[] buffer = new byte[BLOCK_BYTES];

    ImageBlocks(Path image) {
        this.image = image;
        try {
            this.channel = FileChannel.open(image, StandardOpenOption.READ);
        } catch (IOException e) {
            throw CallRefusal.internal("cannot read " + image + ": " + e + "; check the state directory");
        }
    }

    @Override
    public boolean allocated(long number) {
        return !Arrays.equals(read(number), ZEROS);
    }

    @Override
    public boolean differs(BlockMap base, long number) {
        return !Arrays.equals(read(number), ((ImageBlocks) base).read(number));
    }

    /** Reads a block, padded with zeros at the end of the image. */
    private byte[] read(long number) {
        ByteBuffer into = ByteBuffer.wrap(buffer);
        try {
            while (into.hasRemaining() && channel.read(into, number * BLOCK_BYTES + into.position()) >= 0) {}
        } catch (IOException e) {
            throw CallRefusal.internal("cannot read " + image + ": " + e + "; check the state directory");
        }
        Arrays.fill(buffer, into.position(), BLOCK_BYTES, (byte) 0);
        return buffer;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw CallRefusal.internal("cannot close " + image + ": " + e);
        }
    }
}
