package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.spi.VirtualTime;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class WrongTokensTest {
    private final VirtualTime time = VirtualTime.inOrder();
    private final WrongTokens tokens = new WrongTokens(time.environment(new Random(1)));

    private static InetAddress address(String text) throws Exception {
        return InetAddress.getByName(text);
    }

    private void wrong(String text, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            tokens.wrong(address(text));
        }
    }

    @Test
    void waitDoublesUpToAMinuteAndEndsWithTheRightToken() throws Exception {
        InetAddress guesser = address("192.0.2.1");
        wrong("192.0.2.1", WrongTokens.FREE - 1);
        assertThat(tokens.remaining(guesser)).isZero();
        for (int seconds : new int[] {1, 2, 4, 8, 16, 32, 60, 60}) {
            tokens.wrong(guesser);
            assertThat(tokens.remaining(guesser)).isEqualTo(Duration.ofSeconds(seconds));
            time.advance(Duration.ofSeconds(seconds));
            assertThat(tokens.remaining(guesser)).isZero();
        }
        tokens.right(guesser);
        wrong("192.0.2.1", 1);
        assertThat(tokens.remaining(guesser)).isZero();
    }

    @Test
    void otherAddressesDoNotWait() throws Exception {
        wrong("192.0.2.1", 10);
        assertThat(tokens.remaining(address("192.0.2.2"))).isZero();
    }

    @Test
    void addressesOfOneNetworkOfIpv6WaitTogether() throws Exception {
        for (int i = 0; i < 10; i++) {
            tokens.wrong(address("2001:db8::" + i));
        }
        assertThat(tokens.remaining(address("2001:db8::ffff"))).isPositive();
        assertThat(tokens.remaining(address("2001:db8:0:1::1"))).isZero();
    }

    @Test
    void manyAddressesDoNotFillTheMemory() throws Exception {
        wrong("192.0.2.1", 10);
        for (int i = 0; i < 10_000; i++) {
            tokens.wrong(InetAddress.getByAddress(new byte[] {10, 0, (byte) (i >> 8), (byte) i}));
        }
        assertThat(tokens.remaining(address("192.0.2.1")))
                .as("the address that guessed longest ago is forgotten")
                .isZero();
    }

    @Test
    void randomTokensAreStrongEnough() {
        SecureRandom random = new SecureRandom();
        byte[] bytes = new byte[32];
        byte[] half = new byte[16];
        for (int i = 0; i < 2000; i++) {
            random.nextBytes(bytes);
            TokenStrength.check(Base64.getEncoder().encodeToString(bytes));
            TokenStrength.check(HexFormat.of().formatHex(bytes));
            TokenStrength.check(UUID.randomUUID().toString());
            random.nextBytes(half);
            assertThat(TokenStrength.bits(HexFormat.of().formatHex(half))).isGreaterThan(75);
        }
    }
}
