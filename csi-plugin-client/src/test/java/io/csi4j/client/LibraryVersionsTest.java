package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.grpc.Channel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The tests run with the versions of gRPC and protobuf that the build says. */
@Tag("versions")
class LibraryVersionsTest {
    @Test
    void jarsHaveTheVersionsThatTheBuildSays() throws Exception {
        String grpc = System.getProperty("csi4j.grpc");
        assertThat(jar(Channel.class)).isEqualTo("grpc-api-" + grpc + ".jar");
        assertThat(jar(NettyChannelBuilder.class)).isEqualTo("grpc-netty-shaded-" + grpc + ".jar");
        assertThat(jar(Message.class)).isEqualTo("protobuf-java-" + System.getProperty("csi4j.protobuf") + ".jar");
    }

    private static String jar(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
                .getFileName()
                .toString();
    }
}
