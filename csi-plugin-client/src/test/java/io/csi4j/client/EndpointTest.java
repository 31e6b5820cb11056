package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {
    @ParameterizedTest
    @CsvSource({
        "unix:///run/csi/x.sock, /run/csi/x.sock, unix:///run/csi/x.sock",
        "unix:/run/csi/x.sock,   /run/csi/x.sock, unix:///run/csi/x.sock",
        "UNIX:/run/csi/x.sock,   /run/csi/x.sock, unix:///run/csi/x.sock",
        "/run/csi/x.sock,        /run/csi/x.sock, unix:///run/csi/x.sock",
        "/run/a:b/x.sock,        /run/a:b/x.sock, unix:///run/a:b/x.sock",
        "unix:run/x.sock,        run/x.sock,      unix:run/x.sock",
        "run/x.sock,             run/x.sock,      unix:run/x.sock",
        "./odd:name.sock,        ./odd:name.sock, unix:./odd:name.sock",
        "x.sock,                 x.sock,          unix:x.sock"
    })
    void everyFormOfUnixSocketIsParsed(String text, String path, String canonical) {
        Endpoint endpoint = Endpoint.parse(text);
        assertThat(endpoint.path()).contains(Path.of(path));
        assertThat(endpoint.tls()).isEmpty();
        assertThat(endpoint).hasToString(canonical);
        assertThat(Endpoint.parse(canonical)).isEqualTo(endpoint).hasSameHashCodeAs(endpoint);
        assertThat(Endpoint.unix(Path.of(path))).isEqualTo(endpoint);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp://10.0.0.1:9000", "dns:///plugin.example:9000", "tcp://localhost:9000"})
    void tcpIsRejectedByParse(String text) {
        assertThatThrownBy(() -> Endpoint.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(text)
                .hasMessageContaining("Endpoint.remote(text, tls)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:9000", "10.0.0.1:9000", ":9000"})
    void tcpLikeTextIsNotParsedAsPath(String text) {
        assertThatThrownBy(() -> Endpoint.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("looks like a TCP address");
    }

    @ParameterizedTest
    @CsvSource({
        "'',                        is empty",
        "unix:,                     is empty",
        "unix://,                   is empty",
        "unix://run/x.sock,         has a host before the path; write unix:///run/x.sock",
        "inprocess:///,             needs a name; write inprocess:///name",
        "inprocess:name,            needs a name; write inprocess:///name",
        "http://localhost/x.sock,   unknown scheme http",
        "unix-abstract:x,           unknown scheme unix-abstract"
    })
    void textWithoutSocketIsRejectedWithRemedy(String text, String problem) {
        assertThatThrownBy(() -> Endpoint.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void inProcessEndpointHasNameButNoPath() {
        Endpoint endpoint = Endpoint.parse(" inprocess:///a-b ");
        assertThat(endpoint.inProcessName()).contains("a-b");
        assertThat(endpoint.path()).isEmpty();
        assertThat(endpoint.authority()).isEmpty();
        assertThat(endpoint).hasToString("inprocess:///a-b").isEqualTo(Endpoint.parse("inprocess:///a-b"));
        assertThat(Endpoint.parse("unix:///run/x.sock").inProcessName()).isEmpty();
    }

    @Test
    void pathWithNullCharacterIsRejected() {
        assertThatThrownBy(() -> Endpoint.parse("/run/\0x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/run/\\u0000x is not a path");
    }

    @Test
    void pathLongerThan107BytesIsRejected() {
        String longest = "/" + "x".repeat(106);
        assertThat(Endpoint.parse(longest).path()).contains(Path.of(longest));
        assertThatThrownBy(() -> Endpoint.parse(longest + "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has 108 bytes")
                .hasMessageContaining("room for 107")
                .hasMessageContaining("shorter path");
        assertThatThrownBy(() -> Endpoint.unix(Path.of(longest + "x"))).isInstanceOf(IllegalArgumentException.class);
        // The limit counts bytes and not characters.
        assertThatThrownBy(() -> Endpoint.parse("/" + "\u00e9".repeat(54)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has 109 bytes");
    }

    @ParameterizedTest
    @CsvSource({
        "tcp://localhost:9000,    tcp://localhost:9000",
        "dns:///LOCALHOST:9000,   tcp://localhost:9000",
        "dns:127.0.0.1:1,         tcp://127.0.0.1:1",
        "tcp://127.8.9.255:65535, tcp://127.8.9.255:65535",
        "tcp://[::1]:9000,        tcp://[::1]:9000"
    })
    void loopbackNeedsNoTls(String text, String canonical) {
        Endpoint endpoint = Endpoint.loopback(text);
        assertThat(endpoint).hasToString(canonical).isEqualTo(Endpoint.loopback(canonical));
        assertThat(endpoint.path()).isEmpty();
        assertThat(endpoint.tls()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tcp://plugin.example:9000",
                "tcp://127.0.0.1.example:9000",
                "tcp://localhost.example:9000",
                "tcp://128.0.0.1:9000",
                "tcp://127.0.0.256:9000",
                "tcp://[::2]:9000",
                "tcp://0.0.0.0:9000"
            })
    void plaintextToAnotherMachineIsRejected(String text) {
        assertThatThrownBy(() -> Endpoint.loopback(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not a loopback address")
                .hasMessageContaining("Endpoint.remote");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "unix:///run/x.sock",
                "tcp://host",
                "tcp://host:0",
                "tcp://host:65536",
                "tcp://:9000",
                "tcp://a b:9000",
                "dns://resolver/host:9000",
                "tcp://::1:9000"
            })
    void invalidTcpAddressIsRejected(String text) {
        assertThatThrownBy(() -> Endpoint.remote(text, TlsOptions.ofDefaults()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not a TCP address")
                .hasMessageContaining("tcp://host:port");
    }

    @Test
    void remoteEndpointHasTlsOptions() {
        TlsOptions mutual = TlsOptions.builder()
                .trustedCertificates(Path.of("ca.pem"))
                .certificate(Path.of("client.pem"), Path.of("client.key"))
                .serverName("plugin")
                .build();
        Endpoint endpoint = Endpoint.remote("tcp://plugin.example:9000", mutual);
        assertThat(endpoint.tls()).contains(mutual);
        assertThat(endpoint)
                .isEqualTo(Endpoint.remote("dns:///plugin.example:9000", mutual))
                .isNotEqualTo(Endpoint.remote("tcp://plugin.example:9000", TlsOptions.ofDefaults()));
        assertThat(mutual)
                .hasToString("TlsOptions[trustedCertificates=ca.pem, certificateChain=client.pem,"
                        + " privateKey=client.key, serverName=plugin]");
    }
}
